import type { Owner } from '../../kernel/basics/environment.ts';
import type { EventId, RequestId } from '../../kernel/basics/id.ts';
import type { ApiVersion } from './api-version.ts';
import type { EventType } from './event-types.ts';

/** A recorded event; `body` is the exact JSON that every delivery sends. */
export interface Event extends Owner {
  readonly id: EventId;
  readonly type: EventType;
  readonly apiVersion: ApiVersion;
  readonly created: Date;
  readonly objectId: string;
  readonly objectVersion: number;
  readonly body: string;
  readonly source: 'api' | 'scheduler' | 'processor' | 'trigger';
  readonly requestId?: RequestId;
}
