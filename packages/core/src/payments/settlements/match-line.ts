import {
  type ChargeId,
  newId,
  type OperationId,
  parseId,
  type RefundId,
} from '../../kernel/basics/id.ts';
import { bookSettlement } from '../../ledger/settlement-recipes.ts';
import { chargeIdOf } from '../charges/charge-of-operation.ts';
import type { AccountLocks } from '../operations/locked-accounts.ts';
import type { Operation } from '../operations/operation.ts';
import { isUnresolved } from '../operations/operation-states.ts';
import type { OperationKind } from '../processor/processor.ts';
import type { SettlementDifference } from './settlement-difference.ts';
import type { SettlementLine } from './settlement-line.ts';
import type { SettlementChange, SettlementRepositories } from './settlement-storage.ts';

/** The operations that move money at a processor. A payout does not: the operator's bank pays it. */
const KINDS: readonly OperationKind[] = ['authorize', 'capture', 'refund', 'cancel'];

/**
 * What a line is about, with the change that books it. `open`: its outcome is not known yet.
 * `other_currency`: nothing is converted, so it cannot be booked for its charge.
 */
export type Matched =
  | { readonly found: 'none' }
  | { readonly found: 'open'; readonly operation: Operation }
  | { readonly found: 'other_currency'; readonly difference: SettlementDifference }
  | MatchedLine;

interface MatchedLine {
  readonly found: 'matched';
  readonly line: SettlementLine;
  readonly change: SettlementChange;
  readonly differences: readonly SettlementDifference[];
  /** The charge or refund whose lines tell all fees that are booked for it. */
  readonly agreedFees?: ChargeId | RefundId;
}

interface MatchPorts {
  readonly rows: SettlementRepositories;
  readonly locks: AccountLocks;
  readonly at: Date;
}

/**
 * Finds the operation of a line, locks its charge, and books the line: exactly what it says.
 * @throws PaymountError `lock_timeout`
 */
export async function matchLine(
  { rows, locks, at }: MatchPorts,
  line: SettlementLine,
): Promise<Matched> {
  const known = pickNamed(await findNamed(rows, line), line);
  const chargeId = known && chargeIdOf(known);
  if (known === undefined || chargeId === undefined) return { found: 'none' };
  const { accountId, environment } = known;
  await locks.take(accountId, () => rows.charges.findForUpdate(known, chargeId));
  // Again, since others may have been answered, or have got their line, before the lock was had.
  const named = (await findNamed(rows, line)).filter((each) => chargeIdOf(each) === chargeId);
  const told = await rows.settlements.findTold(known, chargeId, line);
  const operation = pickNamed(named, line, told) ?? known;
  if (isUnresolved(operation) || operation.state === 'quarantined') {
    return { found: 'open', operation };
  }
  // The line of a capture may name its authorization, and come before the answer, which has the fee.
  const unanswered =
    operation.kind === 'authorize' && (await rows.operations.findUnresolvedOnRoot(known, chargeId));
  if (unanswered) return { found: 'open', operation: unanswered };
  if (operation.currency !== line.currency) {
    const found = { kind: 'currency_differs', subjectId: line.id, found: line.amount } as const;
    const difference = { ...differenceOf(line, found, at), accountId };
    return { found: 'other_currency', difference };
  }
  const subjectId = parseId('re', operation.subjectId) ?? chargeId;
  const sources = await sourcesOf(rows, operation, subjectId);
  const moves = await rows.settlements.movesOf(operation, sources, line.currency);
  const expected = expectedOf(moves, line.amount);
  // The refund that is meant may have no answer yet, and so no reference by which it is found.
  const isSpare =
    operation.kind === 'refund'
      ? told.includes(operation.id) || !isOfFee(operation, line)
      : expected !== line.amount;
  if (isSpare && line.amount < 0) {
    const refund = await rows.settlements.findUnansweredRefund(operation, chargeId, -line.amount);
    if (refund !== undefined) return { found: 'open', operation: refund };
  }
  const match = { accountId, operationId: operation.id, chargeId };
  const matched: SettlementLine = {
    ...line,
    match: { ...match, ...(expected === undefined ? {} : { expected }) },
  };
  const { unbooked, ...fees } = await compareFees(rows, matched, { operation, subjectId, at });
  const postings = bookSettlement(line, unbooked, at);
  return {
    found: 'matched',
    line: matched,
    change: { accountId, environment, at, writes: [], postings },
    ...fees,
    differences: [
      ...(expected === line.amount ? [] : [amountDiffers(matched, expected, at)]),
      ...fees.differences,
    ],
  };
}

/** The operations that a line names, newest first. */
async function findNamed(
  { notices }: SettlementRepositories,
  line: SettlementLine,
): Promise<readonly Operation[]> {
  const reported = await notices.findReported(line, line.named, KINDS);
  return reported.filter(({ kind }) => KINDS.includes(kind));
}

/**
 * The operation that a line is about. A charge and its refunds may share a reference: then a refund is meant
 * only by a line of its amount, and by no other line if another operation may be meant. Of several of one
 * amount, the one is meant whose fee the line tells.
 * @param told ids of operations that have a line of this amount
 */
function pickNamed(
  named: readonly Operation[],
  line: SettlementLine,
  told: readonly OperationId[] = [],
): Operation | undefined {
  const likely = named.filter(({ kind, amount }) => kind !== 'refund' || amount === -line.amount);
  const untold = likely.filter(({ kind, id }) => kind !== 'refund' || !told.includes(id));
  const meant = [untold, likely].find(({ length }) => length > 0) ?? named;
  return meant.find(isUnresolved) ?? meant.find((each) => isOfFee(each, line)) ?? meant[0];
}

/** Whether a refund has the fee of a line by its outcome. */
function isOfFee({ kind, outcome }: Operation, { fee }: SettlementLine): boolean {
  const told = outcome?.outcome === 'approved' ? outcome.fee : undefined;
  return kind === 'refund' && (told ?? 0) === fee;
}

/** Records what a line that was matched does not agree on, and what it does. */
export async function recordDifferences(
  { settlements }: SettlementRepositories,
  { differences, agreedFees }: MatchedLine,
): Promise<void> {
  await settlements.addDifferences(differences);
  if (agreedFees !== undefined) await settlements.resolve('fee_differs', agreedFees);
}

/** The sources of what an operation and its disputes moved. */
async function sourcesOf(
  rows: SettlementRepositories,
  operation: Operation,
  subjectId: ChargeId | RefundId,
): Promise<readonly string[]> {
  const chargeId = parseId('ch', subjectId);
  if (chargeId === undefined) return [subjectId];
  const disputes = await rows.disputes.ofCharge(operation, chargeId);
  return [chargeId, ...disputes.map(({ id }) => id)];
}

interface ComparedFees extends Pick<MatchedLine, 'differences' | 'agreedFees'> {
  /** What is left to book of the fee of the line; minor units. */
  readonly unbooked: number;
}

/**
 * Compares the fees that lines of a charge or refund tell with those that came with its outcomes, and
 * that are booked. What lines tell beyond that is booked too; less is a difference, because a line
 * may only have left it out. The fee of a chargeback is its own. A fee that is given back is booked
 * whole, because no outcome tells it.
 */
async function compareFees(
  { settlements }: SettlementRepositories,
  line: SettlementLine,
  about: {
    readonly operation: Operation;
    readonly subjectId: ChargeId | RefundId;
    readonly at: Date;
  },
): Promise<ComparedFees> {
  const { operation, subjectId, at } = about;
  if (operation.kind !== 'refund' && line.amount < 0) {
    return { unbooked: line.fee, differences: [] };
  }
  const { byOutcomes, byLines, givenBack } = await settlements.feesOf(operation, line.currency);
  const told = byLines + Math.max(0, line.fee);
  const back = givenBack + Math.min(0, line.fee);
  const booked = Math.max(byOutcomes, told) + back;
  const unbooked = booked - (Math.max(byOutcomes, byLines) + givenBack);
  if (told >= byOutcomes) return { unbooked, differences: [], agreedFees: subjectId };
  const amounts = { expected: booked, found: told + back };
  const found = { kind: 'fee_differs', subjectId, ...amounts } as const;
  return { unbooked, differences: [differenceOf(line, found, at)] };
}

/**
 * What the amount should have been: the same, or the newest that moved in the same direction. A line with
 * only a fee moves nothing. `compareLinesAgain` of the storage must find the same; only that one looks for
 * lines that cancel each other.
 */
function expectedOf(moves: readonly number[], amount: number): number | undefined {
  if (amount === 0) return 0;
  const isLikely = (move: number): boolean => Math.sign(move) === Math.sign(amount);
  return moves.find((move) => move === amount) ?? moves.find(isLikely);
}

function amountDiffers(
  line: SettlementLine,
  expected: number | undefined,
  at: Date,
): SettlementDifference {
  const found = { kind: 'amount_differs', subjectId: line.id, found: line.amount } as const;
  return differenceOf(line, { ...found, ...(expected === undefined ? {} : { expected }) }, at);
}

function differenceOf(
  { environment, processor, lineId, currency, match }: SettlementLine,
  found: Pick<SettlementDifference, 'kind' | 'subjectId' | 'expected' | 'found'>,
  at: Date,
): SettlementDifference {
  return {
    ...found,
    id: newId('sd'),
    environment,
    processor,
    lineId,
    currency,
    ...(match && { accountId: match.accountId }),
    state: 'open',
    created: at,
  };
}
