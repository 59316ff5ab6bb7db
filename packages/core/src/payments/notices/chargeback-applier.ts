import { describeMoney } from '../../kernel/input/currency.ts';
import { toBlock, toDebitRefusal } from '../charges/bank-returns.ts';
import { type Charge, disputedBy } from '../charges/charge.ts';
import { feeOf, type PaymentRules } from '../charges/payment-rules.ts';
import {
  type Chargeback,
  type Dispute,
  isChargeback,
  nextRound,
  type OpenDispute,
} from '../disputes/dispute.ts';
import { disputeChange, type Moved } from '../disputes/dispute-change.ts';
import { chargeback, lost, ruledWon } from '../disputes/dispute-moves.ts';
import { placeOpening } from '../disputes/dispute-rounds.ts';
import { dueByOf, roomFor } from '../disputes/dispute-rules.ts';
import { reopeningChange } from '../disputes/rulings.ts';
import type { PaymentMethodEffects } from '../payment-methods/payment-method-storage.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import { already, contradiction, early, type NoticeDecision, OUTDATED } from './notice-applier.ts';
import type { NoticeRepositories } from './notice-storage.ts';
import {
  continued,
  findWin,
  newFacts,
  type OpenedData,
  type Reported,
  repeated,
} from './reported-dispute.ts';

type Rows = Pick<NoticeRepositories, 'operations' | 'notices'>;
type Rules = Pick<PaymentRules, 'disputeFees'>;

/** Opens a chargeback, makes one of an alert, or opens one again in a later round. */
export async function applyChargeback(
  reported: Reported,
  rules: Rules,
  rows: Rows,
): Promise<NoticeDecision> {
  const { named, data, all } = reported;
  const alert = all.find(({ status }) => status === 'warning_needs_response');
  if (named === undefined) return open(reported, alert, rules, rows);
  if (!isChargeback(named)) return open(reported, named, rules, rows);
  // Another chargeback has continued the alert that this one belongs to, whatever became of it.
  const isOther = named.processorReference !== data.disputeReference;
  return isOther ? open(reported, undefined, rules, rows) : repeat(reported, named, rows);
}

/** @param alert that the chargeback continues */
async function open(
  reported: Reported,
  alert: Dispute | undefined,
  { disputeFees }: Rules,
  rows: Rows,
): Promise<NoticeDecision> {
  const { data, charge, all, at } = reported;
  const others = all.filter(({ id }) => id !== alert?.id);
  const room = roomFor(charge, others);
  // What was won has given back what it took.
  const win = data.amount > room ? await findWin(reported, rows) : undefined;
  if (data.amount > room && win === undefined) return noRoom(reported, others, room);
  const now = timeOf(charge, at);
  const answer = alert && (await rows.operations.findUnresolved(alert, alert.id));
  const told = newFacts({ ...reported, dueBy: dueByOf(charge, now) });
  const facts = alert === undefined ? told : continued(alert, told, answer);
  const opened = chargeback(facts, feeOf('disputeFees', disputeFees, charge, facts.amount), now);
  const moves: readonly [Moved, ...Moved[]] =
    win === undefined
      ? [opened, ...endOf(opened.dispute, data)]
      : [opened, ruledWon(opened.dispute, win, now)];
  const from = {
    isNew: alert === undefined,
    charge: disputedBy(charge, facts.id, true),
    changesCharge: true,
  };
  const change = disputeChange(moves, from, { at, source: 'processor' });
  return { decision: 'applied', change: { ...change, ...blockedBy(charge, data) } };
}

/** The processor reports a chargeback that is known: again, or in a later round. */
async function repeat(
  reported: Reported,
  known: Chargeback,
  { operations }: Rows,
): Promise<NoticeDecision> {
  const { data, round, occurredAt, charge, all, at } = reported;
  const placed = placeOpening(known, { at: occurredAt, ...(round !== undefined && { round }) });
  if (placed.place === 'outdated') return already(OUTDATED);
  if (placed.place === 'contradicts') {
    return contradiction(`Dispute ${known.id} was won, and is opened again.`);
  }
  if (placed.place !== 'new' || data.amount !== known.amount) return repeated(known, data);
  const now = timeOf(charge, at);
  const answer = await operations.findUnresolved(known, known.id);
  const told = newFacts({ ...reported, dueBy: dueByOf(charge, now) });
  const { reason, networkReasonCode, dueBy } = told;
  const facts = { ...nextRound(known, placed.round, answer), reason, networkReasonCode, dueBy };
  const context = { dispute: known, charge, all };
  const opened = { facts, isContestable: data.contestable };
  const change = reopeningChange(context, opened, { at, source: 'processor' });
  return change === undefined
    ? early(`Other chargebacks have taken what dispute ${known.id} gave back.`)
    : { decision: 'applied', change: { ...change, ...blockedBy(charge, data) } };
}

/** The ruling that would make room may come, unless what took the money is final. */
function noRoom(
  { data, charge }: Reported,
  others: readonly Dispute[],
  room: number,
): NoticeDecision {
  const reason =
    `It takes ${describeMoney(data.amount, charge.currency)}; ` +
    `${describeMoney(room, charge.currency)} of charge ${charge.id} can be disputed.`;
  const final = others.filter(
    (dispute) => dispute.status === 'lost' && dispute.closedReason === 'not_contestable',
  );
  return data.amount > roomFor(charge, final) ? contradiction(reason) : early(reason);
}

function endOf(dispute: OpenDispute, { contestable }: OpenedData): readonly Moved[] {
  return contestable ? [] : [lost(dispute, 'not_contestable')];
}

/** A bank account whose holder disputes the mandate is not debited again. */
function blockedBy(
  { method, paymentMethodId }: Charge,
  { reason, networkReasonCode: returnCode }: OpenedData,
): Pick<PaymentMethodEffects, 'blocked'> {
  if (method.type === 'card' || returnCode === undefined) return {};
  const block = toBlock(toDebitRefusal({ code: reason, message: '', returnCode }));
  return block === undefined ? {} : { blocked: { methodId: paymentMethodId, block } };
}
