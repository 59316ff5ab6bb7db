import { newNotice, type SentNotice } from '../setup.ts';
import { share } from './charge-moves.ts';
import {
  alerted,
  type Case,
  canAlert,
  canChargeBack,
  chargedBack,
  isRuledAbout,
  ruled,
} from './dispute-rules.ts';
import type { Charge, Open } from './objects.ts';
import { payoutFailed } from './payout-rules.ts';
import { OK, type Player } from './player.ts';
import { refundUndone, settle, submitted } from './rules.ts';
import type { Of } from './steps.ts';

/** The bank knows a dispute of a charge that Paymount knows as succeeded. */
function newCase(
  player: Player,
  step: { readonly pick: number; readonly percent: number; readonly isContestable?: boolean },
): Case | undefined {
  const { book, notices } = player;
  const found = player.pick(
    book.charges.filter(({ status, isDebit }) => status === 'succeeded' && !isDebit),
    step.pick,
  );
  if (found === undefined) return undefined;
  const { isContestable = true } = step;
  const reference = `case_${found.id}_${notices.length}`;
  return { charge: found, reference, amount: share(found.captured, step.percent), isContestable };
}

function opened(player: Player, kind: string, of: Case): SentNotice {
  const { reference: disputeReference, amount, isContestable: contestable } = of;
  const facts = { disputeReference, amount, currency: 'eur', reason: 'fraudulent', contestable };
  return player.about(of.charge, kind, facts);
}

function closed(
  player: Player,
  { charge, reference }: Pick<Case, 'charge' | 'reference'>,
  outcome: string,
) {
  return player.about(charge, 'dispute.closed', { disputeReference: reference, outcome });
}

export async function alert(player: Player, step: Of<'alert'>): Promise<void> {
  const of = newCase(player, step);
  if (of === undefined || !canAlert(player.book, of)) return;
  await player.notify([opened(player, 'dispute.alert', of)]);
  alerted(player.book, of);
}

export async function chargeback(player: Player, step: Of<'chargeback'>): Promise<void> {
  const of = newCase(player, step);
  if (of === undefined || !canChargeBack(player.book, of)) return;
  await player.notify([opened(player, 'dispute.opened', of)]);
  chargedBack(player.book, of);
}

/** The chargeback of a dispute that is known already, an alert for example. */
export async function escalate(player: Player, step: Of<'escalate'>): Promise<void> {
  const dispute = player.pick(player.book.disputes, step.pick);
  if (dispute === undefined) return;
  const { charge, reference } = dispute;
  const amount = share(charge.captured, step.percent);
  const of: Case = { charge, reference, amount, isContestable: true };
  if (!canChargeBack(player.book, of)) return;
  await player.notify([opened(player, 'dispute.opened', of)]);
  chargedBack(player.book, of);
}

export async function rule(player: Player, step: Of<'rule'>): Promise<void> {
  const dispute = player.pick(player.book.disputes, step.pick);
  if (dispute === undefined || !isRuledAbout(dispute, step.outcome)) return;
  await player.notify([closed(player, dispute, step.outcome)]);
  ruled(player.book, dispute, step.outcome);
}

/** The ruling comes before the chargeback, and that one twice; the ruling waits a little. */
export async function shuffled(player: Player, step: Of<'shuffled'>): Promise<void> {
  const of = newCase(player, step);
  if (of === undefined || !canChargeBack(player.book, of)) return;
  const chargeback = opened(player, 'dispute.opened', of);
  const again = opened(player, 'dispute.opened', of);
  await player.notify([closed(player, of, step.outcome), chargeback, again]);
  const { book } = player;
  chargedBack(book, of);
  // Time passes before the dispute can be due, so the ruling decides.
  const dispute = book.disputes.find(({ reference }) => reference === of.reference);
  await player.pass(61_000);
  if (dispute) ruled(book, dispute, step.outcome);
}

const TOLD = {
  authorize: 'charge',
  capture: 'charge',
  refund: 'refund',
  payout: 'payout',
} as const;

/** The bank reports what became of a request that it never answered. */
export async function tell(player: Player, step: Of<'tell'>): Promise<void> {
  const { book, setup } = player;
  const open = player.pick(book.open.filter(isReported), step.pick);
  if (open === undefined || !(open.kind in TOLD)) return;
  const { kind, verdict, amount, subject } = open;
  const line = setup.bank.journal.get(subject.id ?? '')?.find((each) => each.kind === kind);
  if (line === undefined) throw new Error(`The bank knows no ${kind} of ${subject.id}.`);
  const noun = TOLD[kind as keyof typeof TOLD];
  const isApproved = verdict === 'approved';
  const done = noun === 'payout' ? 'paid' : 'settled';
  const isDebit = 'isDebit' in subject && subject.isDebit;
  // A bank returns only what was submitted.
  const returned = isDebit ? { returnCode: 'R01' } : {};
  const failure = { code: 'card_declined', message: 'It was declined.', ...returned };
  const { fee } = line;
  const settled =
    noun === 'payout' ? {} : { amount, currency: currencyOf(subject), ...(fee && { fee }) };
  const notice = newNotice(setup, {
    kind: `${noun}.${isApproved ? done : 'failed'}`,
    processorReference: line.reference,
    data: isApproved ? settled : failure,
  });
  await player.notify([{ ...notice, operationId: line.sent.operationId } as SentNotice]);
  book.open.splice(book.open.indexOf(open), 1);
  if (open.clearsAtMs !== undefined) submitted(book, open);
  settle(book, open);
}

function currencyOf(subject: Open['subject']): string {
  return ('charge' in subject ? subject.charge : (subject as Charge)).currency;
}

/** Of an authorization alone, no money moves that could be reported. */
function isReported({ kind, subject, verdict, unsent }: Open): boolean {
  if (unsent !== undefined) return false;
  const isManual = 'isManual' in subject && subject.isManual;
  return kind in TOLD && !(kind === 'authorize' && isManual && verdict === 'approved');
}

/** The bank returns a refund or a payout that it had carried out. */
export async function giveBack(player: Player, step: Of<'giveBack'>): Promise<void> {
  const { book, setup } = player;
  const refunds = book.refunds.filter(
    ({ status, fundsAtMs }) => status === 'succeeded' && fundsAtMs !== undefined,
  );
  const payouts = book.payouts.filter(({ status }) => status === 'paid');
  const subject = player.pick([...refunds, ...payouts], step.pick);
  if (subject === undefined) return;
  const line = setup.bank.journal.get(subject.id ?? '')?.[0];
  const isRefund = 'charge' in subject;
  const notice = newNotice(setup, {
    kind: isRefund ? 'refund.failed' : 'payout.failed',
    processorReference: line?.reference ?? '',
    data: { code: 'account_closed', message: 'The account is closed.' },
  });
  await player.notify([notice]);
  if (isRefund) refundUndone(book, subject, 'failed');
  else payoutFailed(book, subject);
}

/** Notices come again, in any order, each of them twice: nothing changes. */
export async function resend(player: Player, step: Of<'resend'>): Promise<void> {
  const again = step.picks.flatMap((pick) => player.pick(player.notices, pick) ?? []);
  if (again.length === 0) return;
  player.assert('/notices', await player.setup.notify([...again, ...again]), OK);
  await player.setup.noticesTried();
}
