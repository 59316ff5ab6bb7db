import { MAX_EVENT_BYTES } from '../../changes/events/event-resource.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Dispute } from './dispute.ts';
import { toDisputeResource } from './dispute-resource.ts';

/** What later events add, in bytes: the envelope, two balance transactions, and the parts of a fee. */
const EVENT_ROOM = 16 * 1024;
const MOST = MAX_EVENT_BYTES - EVENT_ROOM;

/**
 * Checks that every later event can show the dispute with its evidence and metadata: otherwise no
 * ruling could be recorded.
 * @param param what was sent, and made it too large
 * @throws PaymountError `parameter_invalid`
 */
export function assertFitsEvent(dispute: Dispute, param: 'evidence' | 'metadata'): void {
  const bytes = Buffer.byteLength(JSON.stringify(toDisputeResource(dispute)));
  if (bytes <= MOST) return;
  const message = `With ${param}, the dispute has ${bytes} bytes as JSON; at most ${MOST} are accepted, since events show it. Shorten its evidence or its metadata.`;
  throw new PaymountError('parameter_invalid', message, { param });
}
