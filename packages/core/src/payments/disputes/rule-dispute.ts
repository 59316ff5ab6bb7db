import { applyIn } from '../../changes/commit.ts';
import { hookRefusal } from '../../changes/hook-refusal.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { DISPUTE_ROUNDS, type DisputeRound } from '../../ledger/dispute-kinds.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import {
  type Chargeback,
  type Dispute,
  isChargeback,
  isOpenChargeback,
  nextRound,
} from './dispute.ts';
import { lockDispute } from './dispute-context.ts';
import type { DisputeRule } from './dispute-input.ts';
import { toDisputeResource } from './dispute-resource.ts';
import { isRuled } from './dispute-rounds.ts';
import { dueByOf } from './dispute-rules.ts';
import {
  type DisputeChange,
  type DisputeRepositories,
  type DisputeStorage,
  writtenDispute,
} from './dispute-storage.ts';
import { type ChargebackContext, reopeningChange, rulingChange } from './rulings.ts';

interface RulingPorts {
  readonly storage: Pick<DisputeStorage, 'transaction'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Records what the issuer decided about a chargeback, as a person knows it: a ruling that no notice
 * reported, one that reverses an earlier ruling, or that the dispute is open again. The dispute, ledger,
 * event, the host's hook and the audit row commit together.
 * @throws PaymountError `status_transition_invalid` for an alert, for what is recorded already, after the
 *   last round, and if other chargebacks have taken the money; `resource_missing`, `hook_refused`,
 *   `hook_missing`, `lock_timeout`
 */
export async function ruleDispute(
  { storage, clock, logger }: RulingPorts,
  call: Call,
  known: Dispute,
  rule: DisputeRule,
): Promise<Dispute> {
  try {
    return await storage.transaction(async (rows) => {
      const at = clock.now();
      const { dispute, charge } = await lockDispute(rows, known);
      assertChargeback(dispute);
      const all = await rows.disputes.ofCharge(charge, charge.id);
      const change = await decide({ dispute, charge, all }, rule, rows, { at, call });
      const after = writtenDispute(change) ?? dispute;
      await applyIn(rows, {
        ...change,
        ...resourceFields(call, toDisputeResource(after)),
        ...toAuditEntry(call, { before: dispute, after, rule, at }),
      });
      // Chargebacks that had no room may have it now.
      await rows.notices.hasten(charge.id);
      return after;
    });
  } catch (error) {
    const consequence = 'A person had ruled about it; nothing was recorded.';
    const facts = { dispute: known.id };
    throw hookRefusal(error, logger, { object: known.id, consequence, facts });
  }
}

async function decide(
  context: ChargebackContext,
  { outcome }: DisputeRule,
  { operations }: Pick<DisputeRepositories, 'operations'>,
  { at, call }: { readonly at: Date; readonly call: Call },
): Promise<DisputeChange> {
  const { dispute, charge } = context;
  const { requestId } = call;
  const cause = { at, source: 'api', requestId } as const;
  if (outcome === 'reopened') {
    if (isOpenChargeback(dispute)) throw refused(dispute, `is ${dispute.status}; it is open`);
    const answer = await operations.findUnresolved(dispute, dispute.id);
    // The first ruling of the issuer may still come, about this round.
    const round = isRuled(dispute) ? roundAfter(dispute) : dispute.round;
    const facts = {
      ...nextRound(dispute, round, answer),
      dueBy: dueByOf(charge, timeOf(charge, at)),
    };
    return required(dispute, reopeningChange(context, { facts, isContestable: true }, cause));
  }
  if (dispute.status === outcome) throw refused(dispute, `is ${outcome} already`);
  const round = isRuled(dispute) ? roundAfter(dispute) : dispute.round;
  return required(dispute, rulingChange(context, { outcome, round }, cause));
}

function assertChargeback(dispute: Dispute): asserts dispute is Chargeback {
  if (!isChargeback(dispute)) throw refused(dispute, 'is an alert, which nobody rules about');
}

/** The round that reverses the ruling of a dispute. */
function roundAfter(dispute: Chargeback): DisputeRound {
  const next = DISPUTE_ROUNDS.find((round) => round > dispute.round);
  if (next !== undefined) return next;
  const last = `is in round ${dispute.round}, the last one; correct its money with the processor`;
  throw refused(dispute, last);
}

function required(dispute: Dispute, change: DisputeChange | undefined): DisputeChange {
  if (change !== undefined) return change;
  throw refused(dispute, 'cannot take money again that other chargebacks have taken');
}

function refused({ id }: Dispute, why: string): PaymountError {
  return new PaymountError('status_transition_invalid', `Dispute ${id} ${why}.`);
}

function toAuditEntry(
  call: Call,
  {
    before,
    after,
    rule,
    at,
  }: {
    readonly before: Dispute;
    readonly after: Dispute;
    readonly rule: DisputeRule;
    readonly at: Date;
  },
): Pick<DisputeChange, 'audit'> {
  if (call.audit === undefined) return {};
  const { outcome, reason } = rule;
  return {
    audit: {
      ...call.audit,
      ...ownerOf(call),
      action: 'dispute.rule',
      target: after.id,
      before: { status: before.status, round: before.round },
      after: { status: after.status, round: after.round, outcome, reason: reason.trim() },
      created: at,
    },
  };
}
