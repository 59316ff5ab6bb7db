import { HookError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import type { HookLog } from '../../changes/hook-log.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { timeOf } from '../object-clock.ts';
import type { PaymentStorage } from '../payment-storage.ts';
import type { Dispute } from './dispute.ts';
import { disputeChange } from './dispute-change.ts';
import { alertEnded, lost } from './dispute-moves.ts';

const PAGE = 100;

interface DisputeExpiryPorts {
  readonly storage: PaymentStorage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Kept between passes. */
  readonly hookLog: HookLog;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
}

/**
 * Ends disputes whose time has passed, page by page, in due order, each once: a chargeback without an
 * answer is lost, an alert closed. One that the host's hook refuses does not delay others.
 * @returns how many ended
 */
export async function expireDisputes(ports: DisputeExpiryPorts): Promise<number> {
  const { storage, clock, isClosing } = ports;
  const at = clock.now();
  let ended = 0;
  let page: readonly Dispute[] = [];
  do {
    const after = page.at(-1);
    page = await storage.transaction(({ disputes }) => disputes.findDue(at, PAGE, after));
    for (const dispute of page) {
      if (isClosing()) return ended;
      if (await endOrLog(ports, dispute, at)) ended += 1;
    }
  } while (page.length === PAGE);
  return ended;
}

async function endOrLog(ports: DisputeExpiryPorts, dispute: Dispute, at: Date): Promise<boolean> {
  const { id, chargeId: object } = dispute;
  try {
    return await endDispute(ports.storage, dispute, at);
  } catch (error) {
    if (HookError.is(error)) {
      const consequence = 'The dispute ends later.';
      ports.hookLog.report(error, { id, object, consequence, facts: { dispute: id } });
    } else {
      ports.logger.error(
        { dispute: id, err: isError(error) ? error : undefined },
        'A dispute whose time has passed could not be ended; Paymount tries again.',
      );
    }
    return false;
  }
}

/**
 * Ends a dispute whose time has passed, unless something else has changed it.
 * @returns whether it did
 */
export function endDispute(
  storage: PaymentStorage,
  known: Pick<Dispute, 'id' | 'chargeId' | 'accountId' | 'environment'>,
  at: Date,
): Promise<boolean> {
  return storage.transaction(async (repositories) => {
    const charge = await repositories.charges.findForUpdate(known, known.chargeId);
    const dispute = await repositories.disputes.findForUpdate(known, known.id);
    if (charge === undefined || dispute === undefined) return false;
    if (dispute.dueBy > timeOf(charge, at)) return false;
    // What was sent in time decides.
    if (await repositories.operations.findUnresolved(known, known.id)) return false;
    const moved =
      dispute.status === 'needs_response'
        ? lost(dispute, 'expired')
        : dispute.status === 'warning_needs_response' && alertEnded(dispute);
    if (!moved) return false;
    const from = { isNew: false, charge, changesCharge: false };
    await applyIn(repositories, disputeChange([moved], from, { at, source: 'scheduler' }));
    return true;
  });
}
