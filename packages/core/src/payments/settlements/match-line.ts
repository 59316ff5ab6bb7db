import { type ChargeId, newId, parseId } from '../../kernel/basics/id.ts';
import { bookSettlement } from '../../ledger/settlement-recipes.ts';
import type { Operation, OperationKind } from '../operations/operation.ts';
import { lockRoot } from '../operations/operation-root.ts';
import { isUnresolved } from '../operations/operation-states.ts';
import type { PaymentChange } from '../payment-change.ts';
import type { PaymentRepositories } from '../payment-storage.ts';
import type { SettlementDifference } from './settlement-difference.ts';
import type { SettlementLine } from './settlement-line.ts';

/** The operations that move money at a processor. A payout does not: the operator's bank pays it. */
const KINDS: readonly OperationKind[] = ['authorize', 'capture', 'refund', 'cancel'];

/** What a line is about, with the change that books it; `open`: its outcome is not known yet. */
export type Matched =
  | { readonly found: 'none' }
  | { readonly found: 'open'; readonly operation: Operation }
  | {
      readonly found: 'matched';
      readonly line: SettlementLine;
      readonly change: PaymentChange;
      readonly difference?: SettlementDifference;
    };

/** Finds the operation of a line, locks its charge, and books the line: exactly what it says. */
export async function matchLine(
  rows: PaymentRepositories,
  line: SettlementLine,
  at: Date,
): Promise<Matched> {
  const reported = await rows.notices.findReported(line, line.named);
  const fitting = reported.filter(({ kind }) => KINDS.includes(kind));
  const known = fitting.find(isUnresolved) ?? fitting[0];
  if (known?.chargeId === undefined) return { found: 'none' };
  const { chargeId, accountId, environment } = known;
  await lockRoot(rows, known);
  const operation = (await rows.operations.find(known, known.id)) ?? known;
  if (isUnresolved(operation) || operation.state === 'quarantined') {
    return { found: 'open', operation };
  }
  const sources = await sourcesOf(rows, operation, chargeId);
  const moves = await rows.settlements.movesOf(operation, sources, line.currency);
  const expected = moves.find((move) => move === line.amount) ?? likeliest(moves, line.amount);
  const match = { accountId, operationId: operation.id, chargeId };
  const matched: SettlementLine = {
    ...line,
    match: { ...match, ...(expected === undefined ? {} : { expected }) },
  };
  // The fee of a chargeback is its own; that of a charge or refund may have come with its outcome.
  const isChargeback = operation.kind !== 'refund' && line.amount < 0;
  const booked =
    !isChargeback && (await rows.settlements.hasFee(operation, [...sources, operation.id]));
  const postings = bookSettlement(booked ? { ...line, bookedFee: true } : line, at);
  const difference =
    expected === line.amount ? {} : { difference: amountDiffers(matched, expected, at) };
  const change = { accountId, environment, at, writes: [], postings };
  return { found: 'matched', line: matched, change, ...difference };
}

/** The sources of what an operation and its disputes moved. */
async function sourcesOf(
  rows: PaymentRepositories,
  operation: Operation,
  chargeId: ChargeId,
): Promise<readonly string[]> {
  if (parseId('re', operation.subjectId) !== undefined) return [operation.subjectId];
  const disputes = await rows.disputes.ofCharge(operation, chargeId);
  return [chargeId, ...disputes.map(({ id }) => id)];
}

/** What it should have been: the newest that moved in the same direction. */
function likeliest(moves: readonly number[], amount: number): number | undefined {
  return moves.find((move) => Math.sign(move) === Math.sign(amount));
}

function amountDiffers(
  { id, environment, processor, lineId, currency, amount, match }: SettlementLine,
  expected: number | undefined,
  at: Date,
): SettlementDifference {
  return {
    ...{ id: newId('sd'), environment, processor, kind: 'amount_differs', subjectId: id, lineId },
    ...(match && { accountId: match.accountId }),
    ...(expected === undefined ? {} : { expected }),
    ...{ currency, found: amount, state: 'open', created: at },
  };
}
