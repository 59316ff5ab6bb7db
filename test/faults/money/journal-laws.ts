import type { ChargeRow, Everything, OperationRow, RefundRow } from './data-and-journal.ts';
import { groupBy, total } from './group-by.ts';
import type { Aftermath, JournalLine } from './journal.ts';

/** What was done, was asked for, and done once. */
export function checkJournal({ journal, operations }: Everything): readonly string[] {
  const known = groupBy(operations, ({ id }) => id);
  const violations: string[] = [];
  for (const [id, lines] of groupBy(journal, ({ operationId }) => operationId)) {
    if (!known.has(id))
      violations.push(`The bank did ${id}, which no committed operation asks for.`);
    const times = lines.filter(isApproved).length;
    if (times > 1) violations.push(`The bank did ${id} ${times} times.`);
  }
  const perSubject = groupBy(
    // An alert takes evidence as often as the merchant submits it, and a chargeback in each round.
    journal.filter((line) => isApproved(line) && line.kind !== 'submit_evidence'),
    ({ kind, subject }) => `${kind} of ${subject}`,
  );
  for (const [what, lines] of perSubject) {
    const ids = new Set(lines.map(({ operationId }) => operationId));
    if (ids.size > 1) violations.push(`The bank did two operations for one ${what}.`);
  }
  return violations;
}

function isApproved({ verdict }: JournalLine): boolean {
  return verdict === 'approved';
}

/** A charge says what the bank did for it, and nothing else. */
export function checkCharges({
  charges,
  journal,
  operations,
  aftermath,
}: Everything): readonly string[] {
  const cameBack = new Set(aftermath.lateReturns);
  const did = groupBy(journal.filter(isApproved), ({ subject }) => subject);
  const released = releasedCharges(operations, journal);
  const violations: string[] = [];
  for (const charge of charges) {
    const lines = did.get(charge.id) ?? [];
    const expected = stateBy(charge, lines, released.has(charge.id));
    const found = `${charge.status} ${charge.captured}`;
    // A debit whose return was told first has failed, and moved nothing in the end either.
    const isReturned = found === 'failed 0' && cameBack.has(charge.id);
    if (found !== expected && !isReturned) {
      const story = describeOperations(
        operations.filter((operation) => operation.charge === charge.id),
      );
      violations.push(
        `Charge ${charge.id} is ${found}, and by the bank's journal ${expected}.${story}`,
      );
    }
  }
  const known = new Set(charges.map(({ id }) => id));
  for (const { subject } of journal.filter(isApproved)) {
    if (subject.startsWith('ch_') && !known.has(subject)) {
      violations.push(`The bank moved money for ${subject}, which is no charge.`);
    }
  }
  return violations;
}

function describeOperations(operations: readonly OperationRow[]): string {
  return operations.map(({ id, kind, state }) => ` ${kind} ${id} is ${state}.`).join('');
}

/** Charges of which the bank did a cancel; it knows that of a full refund by the refund's id. */
function releasedCharges(
  operations: readonly OperationRow[],
  journal: readonly JournalLine[],
): ReadonlySet<string> {
  const did = new Set(journal.filter(isApproved).map(({ operationId }) => operationId));
  const cancels = operations.filter(({ kind, id }) => kind === 'cancel' && did.has(id));
  return new Set(cancels.map(({ charge }) => charge ?? ''));
}

function stateBy(charge: ChargeRow, lines: readonly JournalLine[], isReleased: boolean): string {
  const authorized = lines.find(({ kind }) => kind === 'authorize');
  const captured = lines.find(({ kind }) => kind === 'capture');
  if (authorized === undefined) return 'failed 0';
  if (authorized.amount !== charge.amount) return `authorized with ${authorized.amount}`;
  if (authorized.capture) return `succeeded ${authorized.amount}`;
  if (captured !== undefined && isReleased) return 'both captured and canceled';
  if (captured !== undefined) return `succeeded ${captured.amount}`;
  return isReleased ? 'canceled 0' : 'authorized 0';
}

/** A refund says what the bank gave back for it; no charge gives back more than it took. */
export function checkRefunds({ refunds, charges, journal }: Everything): readonly string[] {
  const did = groupBy(journal.filter(isApproved), ({ subject }) => subject);
  const known = new Set(refunds.map(({ id }) => id));
  const violations: string[] = [];
  for (const refund of refunds) {
    const amount = did.get(refund.id)?.[0]?.amount;
    const expected = amount === undefined ? 'failed' : 'succeeded';
    if (refund.status !== expected) {
      violations.push(
        `Refund ${refund.id} is ${refund.status}, and by the bank's journal ${expected}.`,
      );
    }
    if (amount !== undefined && amount !== refund.amount) {
      violations.push(
        `Refund ${refund.id} is of ${refund.amount}, and the bank returned ${amount}.`,
      );
    }
  }
  for (const { subject } of journal.filter(isApproved)) {
    if (subject.startsWith('re_') && !known.has(subject)) {
      violations.push(`The bank returned money for ${subject}, which is no refund.`);
    }
  }
  const returned = groupBy(refunds.filter(isReturned(journal)), ({ charge }) => charge);
  for (const charge of charges) {
    const sum = total(returned.get(charge.id) ?? [], ({ amount }) => amount);
    if (sum > charge.captured) {
      violations.push(`Of charge ${charge.id} the bank returned ${sum} of ${charge.captured}.`);
    }
  }
  return violations;
}

/** Whether the bank gave money back for it; a cancel moves none. */
function isReturned(journal: readonly JournalLine[]): (refund: RefundRow) => boolean {
  const ids = new Set(
    journal
      .filter((line) => isApproved(line) && line.kind === 'refund')
      .map(({ subject }) => subject),
  );
  return ({ id }) => ids.has(id);
}

/** What the ledger says that the bank owes is what the journal sums to. */
export function checkClearing(all: Everything): readonly string[] {
  const { journal, clearing, aftermath } = all;
  return (['test', 'live'] as const).flatMap((environment) => {
    const found = clearing.find((row) => row.environment === environment)?.amount ?? 0;
    const asked = journal.filter((line) => isApproved(line) && line.environment === environment);
    const expected = total(asked, owed) - movedBack(all, aftermath, environment);
    return found === expected
      ? []
      : [
          `The ledger says that the bank owes ${found} in ${environment}; its journal says ${expected}.`,
        ];
  });
}

/** What the bank took back of its own accord, and what it has paid out already. */
function movedBack(
  { charges }: Everything,
  { cases, lateReturns, settlements }: Aftermath,
  environment: string,
): number {
  const own = <Of extends { readonly environment: string }>(items: readonly Of[]): readonly Of[] =>
    items.filter((item) => item.environment === environment);
  const taken = total(own(cases), (each) => each.taken);
  const returned = new Set(lateReturns);
  const back = charges.filter(
    (charge) => returned.has(charge.id) && charge.environment === environment,
  );
  const paid = total(own(settlements), ({ amount, fee }) => amount - fee);
  return taken + total(back, ({ amount }) => amount) + paid;
}

function owed({ kind, capture, amount, fee }: JournalLine): number {
  if (kind === 'refund') return -amount;
  return kind === 'capture' || (kind === 'authorize' && capture) ? amount - fee : 0;
}
