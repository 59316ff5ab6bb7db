import type { ChargebackRow, Everything } from './data-and-journal.ts';
import type { BankCase } from './journal.ts';

/** Of a dispute that ended here by something else than a ruling: at the bank nothing is decided. */
const ENDED_HERE: ReadonlySet<string | null> = new Set(['accepted', 'expired']);

/** Every chargeback of the bank is one here: in the same state, and with the same money taken. */
export function checkChargebacks({
  chargebacks,
  charges,
  aftermath,
}: Everything): readonly string[] {
  const violations: string[] = [];
  const rows = new Map(chargebacks.map((row) => [row.reference, row]));
  const cases = aftermath.cases.filter(({ status }) => status !== 'alert');
  for (const own of cases) {
    const row = rows.get(own.reference);
    const found = row === undefined ? 'not here' : describeRow(row);
    const expected = describeCase(own);
    if (found !== expected || row?.charge !== own.charge) {
      violations.push(
        `Dispute ${own.reference} of ${own.charge} is ${found}, at the bank ${expected}.`,
      );
    }
  }
  const returned = new Set(aftermath.lateReturns);
  for (const charge of charges.filter(({ id }) => returned.has(id))) {
    const row = rows.get(`return_${charge.id}`);
    const expected = `lost, with ${charge.captured} taken`;
    const isFailed = charge.status === 'failed' && row === undefined;
    if (!isFailed && (row === undefined || describeRow(row) !== expected)) {
      const found = row === undefined ? 'no dispute' : `a dispute that is ${describeRow(row)}`;
      violations.push(`Debit ${charge.id} came back, and has ${found}.`);
    }
  }
  const known = new Set([
    ...cases.map(({ reference }) => reference),
    ...aftermath.lateReturns.map((charge) => `return_${charge}`),
  ]);
  for (const { reference, id } of chargebacks) {
    if (!known.has(reference)) violations.push(`No issuer has opened dispute ${id}, ${reference}.`);
  }
  return violations;
}

function describeCase({ status, taken }: BankCase): string {
  return `${status}, with ${taken} taken`;
}

function describeRow({ status, closedReason, taken }: ChargebackRow): string {
  const isOpen = ['needs_response', 'under_review'].includes(status);
  const standing = isOpen || ENDED_HERE.has(closedReason) ? 'open' : status;
  return `${standing}, with ${taken} taken`;
}

/** A payout says what the bank did with it, and nothing else. */
export function checkPayouts({ payouts, journal, aftermath }: Everything): readonly string[] {
  const violations: string[] = [];
  const lines = new Map(
    journal.filter(({ kind }) => kind === 'payout').map((line) => [line.subject, line]),
  );
  const returned = new Set(aftermath.returnedPayouts);
  for (const { id, status, amount } of payouts) {
    const line = lines.get(id);
    const isPaid = line?.verdict === 'approved' && !returned.has(id);
    const expected = isPaid ? ['paid'] : line === undefined ? ['failed', 'canceled'] : ['failed'];
    if (!expected.includes(status)) {
      violations.push(
        `Payout ${id} is ${status}, and by the bank's journal ${expected.join(' or ')}.`,
      );
    }
    if (line !== undefined && line.amount !== amount) {
      violations.push(`Payout ${id} is of ${amount}, and the bank was asked for ${line.amount}.`);
    }
  }
  const known = new Set(payouts.map(({ id }) => id));
  for (const subject of lines.keys()) {
    if (!known.has(subject)) violations.push(`The bank paid ${subject}, which is no payout.`);
  }
  return violations;
}

/** The hook was told of each state of disputes and payouts, once, and of the last one last. */
export function checkOthers({ others }: Everything): readonly string[] {
  return others.flatMap(({ id, status, state, marks }) => {
    const found: string[] = [];
    if (status !== state) {
      found.push(`The host's row of ${id} says ${state ?? 'nothing'}, and it is ${status}.`);
    }
    if (new Set(marks).size !== marks.length) {
      found.push(`The hook marked ${id} twice: ${marks.join(', ')}.`);
    }
    return found;
  });
}
