import type { RequestId } from '../../kernel/basics/id.ts';
import type { Event } from './event.ts';

/** What recorded an event, and the request that asked for it, if one did. */
export type EventCause = Pick<Event, 'source' | 'requestId'>;

/** What nobody asked for: it was due. */
export const BY_TIME: EventCause = { source: 'scheduler' };

/** What a request asked for. */
export function causeOf({ requestId }: { readonly requestId: RequestId }): EventCause {
  return { source: 'api', requestId };
}
