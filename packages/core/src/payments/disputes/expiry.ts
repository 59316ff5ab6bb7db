import type { LockWaits } from '../../changes/area-storage.ts';
import { HookError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import type { HookLog } from '../../changes/hook-log.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { Charge } from '../charges/charge.ts';
import type { LockedAccounts } from '../operations/locked-accounts.ts';
import type { Processor } from '../processor/processor.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import type { Dispute } from './dispute.ts';
import { disputeChange, disputeRowChange } from './dispute-change.ts';
import { alertEnded, lost, pastDue } from './dispute-moves.ts';
import { takesAnswers } from './dispute-rules.ts';
import type { DisputeChange, DisputeStorage } from './dispute-storage.ts';

const PAGE = 100;

interface DisputeExpiryPorts {
  readonly storage: Pick<DisputeStorage, 'transaction'>;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Kept between passes, as the next one is. */
  readonly hookLog: HookLog;
  readonly locked: LockedAccounts;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
}

/**
 * Ends disputes whose time has passed, page by page, in due order, each once: a chargeback without an
 * answer is lost, an alert closed. If merchants answer at the processor, a chargeback is only past
 * due, since a notice says how it ended. One that the host's hook refuses does not delay others.
 * @returns how many changed
 */
export async function expireDisputes(ports: DisputeExpiryPorts): Promise<number> {
  const { storage, clock, locked, isClosing } = ports;
  const at = clock.now();
  let ended = 0;
  let page: readonly Dispute[] = [];
  do {
    const after = page.at(-1);
    page = await storage.transaction(({ disputes }) => disputes.findDue(at, PAGE, after));
    for (const dispute of page) {
      if (isClosing()) return ended;
      if (locked.has(dispute.accountId)) continue;
      if (await endOrLog(ports, dispute, at)) ended += 1;
    }
  } while (page.length === PAGE);
  return ended;
}

async function endOrLog(ports: DisputeExpiryPorts, dispute: Dispute, at: Date): Promise<boolean> {
  const { id, chargeId: object } = dispute;
  try {
    return await endDispute(ports, dispute, at, { areBrief: true });
  } catch (error) {
    if (ports.locked.note(dispute.accountId, error)) return false;
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
 * Ends a dispute whose time has passed, or marks it as past due, unless something else has changed it.
 * @returns whether it did
 */
export function endDispute(
  { storage, processors }: Pick<DisputeExpiryPorts, 'storage' | 'processors'>,
  known: Pick<Dispute, 'id' | 'chargeId' | 'accountId' | 'environment'>,
  at: Date,
  waits?: LockWaits,
): Promise<boolean> {
  return storage.transaction(async (repositories) => {
    const charge = await repositories.charges.findForUpdate(known, known.chargeId);
    const dispute = await repositories.disputes.findForUpdate(known, known.id);
    if (charge === undefined || dispute === undefined) return false;
    if (dispute.dueBy > timeOf(charge, at)) return false;
    // What was sent in time decides.
    if (await repositories.operations.findUnresolved(known, known.id)) return false;
    const processor = processors[dispute.environment];
    const change = ended({ dispute, charge }, takesAnswers(processor, dispute), at);
    if (change !== undefined) await applyIn(repositories, change);
    return change !== undefined;
  }, waits);
}

/** @returns undefined if it does not wait for the merchant any more */
function ended(
  { dispute, charge }: { readonly dispute: Dispute; readonly charge: Charge },
  isAnsweredHere: boolean,
  at: Date,
): DisputeChange | undefined {
  const from = { isNew: false, charge, changesCharge: false };
  const cause = { at, source: 'scheduler' } as const;
  if (dispute.status === 'warning_needs_response') {
    return disputeChange([alertEnded(dispute)], from, cause);
  }
  if (dispute.status !== 'needs_response' || dispute.pastDue) return undefined;
  if (isAnsweredHere) return disputeChange([lost(dispute, 'expired')], from, cause);
  const { debit } = dispute;
  return disputeRowChange({ ...pastDue(dispute), status: 'needs_response', debit }, charge, at);
}
