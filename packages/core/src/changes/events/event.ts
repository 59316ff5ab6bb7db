import type { Owner } from '../../kernel/basics/environment.ts';
import type { EventId, RequestId, TestClockId } from '../../kernel/basics/id.ts';
import type { ApiVersion } from './api-version.ts';
import type { EventType } from './event-types.ts';

/** A recorded event; `body` is the exact JSON that every delivery sends. */
export interface Event extends EventFacts {
  readonly body: string;
}

/** An event whose body was deleted because it may hold personal data; it is never sent again. */
export interface ExpungedEvent extends EventFacts {
  readonly expungedAt: Date;
}

/** An event as it is stored now. */
export type StoredEvent = Event | ExpungedEvent;

/** What is kept of every event. */
interface EventFacts extends Owner {
  readonly id: EventId;
  readonly type: EventType;
  readonly apiVersion: ApiVersion;
  readonly created: Date;
  readonly objectId: string;
  readonly objectVersion: number;
  readonly source: 'api' | 'scheduler' | 'processor' | 'trigger';
  readonly requestId?: RequestId;
  /** The test clock whose time `created` is; absent: `created` is the time that everybody shares. */
  readonly testClockId?: TestClockId;
}
