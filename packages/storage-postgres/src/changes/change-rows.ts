import assert from 'node:assert/strict';
import {
  type Change,
  type ChangeResult,
  type Changes,
  type Dispatch,
  HookError,
  livemode,
  type Settled,
  type Write,
} from '@paymount/core';
import type { Knex } from 'knex';
import { appendAudit } from '../audit/audit-rows.ts';
import { chargeTable } from '../charges/charge-rows.ts';
import { deliveriesPart, retryPart } from '../deliveries/delivery-parts.ts';
import {
  dispatchCommitted,
  dispatchReleased,
  type PlannedDelivery,
  planDeliveries,
  reserve,
} from '../deliveries/fan-out.ts';
import {
  endpointTable,
  endpointUpdateParts,
  retireSecretsPart,
  secretPart,
} from '../endpoints/endpoint-rows.ts';
import { eventsPart } from '../events/event-parts.ts';
import { answerPart, claimPart } from '../idempotency/idempotency-parts.ts';
import { credentialPart } from '../keys/credential-part.ts';
import { ensureLedgerAccounts } from '../ledger/ledger-accounts.ts';
import { balanceTransactionsPart, postingsPart } from '../ledger/ledger-parts.ts';
import type { OpenTransaction } from '../open-transaction.ts';
import { operationTable } from '../operations/operation-rows.ts';
import { paymentMethodTable, tokenTable } from '../payment-methods/payment-method-rows.ts';
import { refundTable } from '../refunds/refund-rows.ts';
import type { Session } from '../session.ts';
import { inTransaction, rerun } from '../transaction.ts';
import { type ChangeRow, changeStatement, failedRow } from './change-statement.ts';
import { insertPart, type Part, updatePart } from './part.ts';

/** The host's SQL that commits with a result, or not at all; 5 s at most, as rows are locked. */
export type HostHook = (trx: Knex.Transaction, settled: Settled) => Promise<void>;

/** What committing a change needs besides its session. */
export interface ChangePorts {
  readonly dispatch: Dispatch;
  readonly hook?: HostHook;
  /** How far business time runs ahead of the machine's: 0 but under a fake clock. */
  readonly clock: { readonly shiftMs: number };
  /** Ledger accounts that are committed, by owner and currency; kept by this process. */
  readonly knownLedgers: Set<string>;
}

/** Commits changes: the one writer of events, and of everything that moves money. */
export function changeRows(session: Session, ports: ChangePorts): Changes {
  return {
    apply(change) {
      for (const { row } of change.writes) assertOwned(row, change);
      if (session.open) return applyInside(session, session.open, change, ports);
      if ((change.settled && ports.hook) || change.audit) {
        return inTransaction(session, (inner) => changeRows(inner, ports).apply(change));
      }
      return rerun(() => session.pinned((pinned) => applyAlone(pinned, change, ports)));
    },
  };
}

function assertOwned(row: Write['row'], { accountId, environment }: Change): void {
  assert.equal(row.accountId, accountId, 'A change writes rows of one account.');
  assert.equal(row.environment, environment, 'A change writes rows of one environment.');
}

/** The hot path: one statement, which is its own transaction. */
async function applyAlone(
  session: Session,
  change: Change,
  ports: ChangePorts,
): Promise<ChangeResult> {
  await ensureLedgerAccounts(session, change, ports.knownLedgers);
  const planned = await planDeliveries(session, change, change.events ?? [], change.at);
  const deliveries = reserve(ports.dispatch, planned);
  try {
    const { result, at } = await execute(session, change, deliveries, ports);
    if (result === 'applied') dispatchCommitted(ports.dispatch, deliveries, at);
    else dispatchReleased(ports.dispatch, deliveries);
    return result;
  } catch (error) {
    dispatchReleased(ports.dispatch, deliveries);
    throw error;
  }
}

/** In a transaction: leased only in ours, as the host's may stay open for long. */
async function applyInside(
  session: Session,
  open: OpenTransaction,
  change: Change,
  ports: ChangePorts,
): Promise<ChangeResult> {
  await ensureLedgerAccounts(session, change, ports.knownLedgers);
  const planned = await planDeliveries(session, change, change.events ?? [], change.at);
  const deliveries = open.kind === 'own' ? reserve(ports.dispatch, planned) : planned;
  try {
    const { result, at } = await undoable(open, change, ports, () =>
      execute(session, change, deliveries, ports),
    );
    // After the rows of the change: the head of a chain is locked next to last of all.
    if (result === 'applied' && change.audit) await appendAudit(session, [change.audit]);
    if (result === 'applied') announceAtEnd(open, ports.dispatch, deliveries, at);
    else dispatchReleased(ports.dispatch, deliveries);
    return result;
  } catch (error) {
    dispatchReleased(ports.dispatch, deliveries);
    throw error;
  }
}

/** With more than one guard, or a hook, a part may have been written when the rest fails. */
async function undoable(
  open: OpenTransaction,
  change: Change,
  ports: ChangePorts,
  work: () => Promise<ChangeRow>,
): Promise<ChangeRow> {
  const { settled } = change;
  const { hook } = ports;
  const updates = change.writes.filter(({ mode }) => mode === 'update').length;
  const guards = updates + (change.claim ? 1 : 0) + (change.retriedDelivery ? 1 : 0);
  if (guards < 2 && !(settled && hook)) return work();
  let answered: ChangeRow | undefined;
  try {
    return await open.savepoint(async () => {
      answered = await work();
      if (answered.result === 'raced') throw new Undone();
      if (settled && hook && answered.result === 'applied') await runHook(open, hook, settled);
      return answered;
    });
  } catch (error) {
    if (error instanceof Undone && answered) return answered;
    throw error;
  }
}

/** Leaves a savepoint after a race, so that nothing of the change stays. */
class Undone extends Error {}

async function runHook(open: OpenTransaction, hook: HostHook, settled: Settled): Promise<void> {
  try {
    await open.runHook((trx) => hook(trx, settled));
  } catch (cause) {
    throw new HookError('The hook of the host failed; nothing was committed.', { cause });
  }
}

function announceAtEnd(
  open: OpenTransaction,
  dispatch: Dispatch,
  deliveries: readonly PlannedDelivery[],
  at: Date,
): void {
  if (deliveries.length === 0) return;
  open.onEnd((end) => {
    // After a rollback of the host's there are no rows, and whoever claims by id finds none.
    if (end === 'rolled_back') dispatchReleased(dispatch, deliveries);
    else dispatchCommitted(dispatch, deliveries, at);
  });
}

/** @returns 'raced' too when the statement failed for that reason */
async function execute(
  session: Session,
  change: Change,
  deliveries: readonly PlannedDelivery[],
  ports: ChangePorts,
): Promise<ChangeRow> {
  const parts = partsOf(change, deliveries, ports);
  const owner = [change.accountId, livemode(change.environment)] as const;
  const { statement, values } = changeStatement(owner, parts, session.open?.kind);
  if (change.credential) session.open?.commitSoon();
  try {
    const { rows } = await session.query<ChangeRow>(statement, values);
    const [row] = rows;
    assert.ok(row, 'The statement of a change answers one row.');
    return row;
  } catch (error) {
    return failedRow(error, change.at);
  }
}

function partsOf(
  change: Change,
  deliveries: readonly PlannedDelivery[],
  { clock }: ChangePorts,
): readonly Part[] {
  const {
    claim,
    credential,
    secret,
    retiredSecrets,
    retriedDelivery,
    postings = [],
    balanceTransactions = [],
    events = [],
    answer,
  } = change;
  const parts: Part[] = [];
  if (credential) parts.push(credentialPart(credential, change.at));
  const claims = claim !== undefined && answer?.key === claim.key;
  if (claim) {
    const operation = change.writes.find(({ kind }) => kind === 'operation');
    const operationId = operation?.kind === 'operation' ? operation.row.id : undefined;
    const rest = { operationId, answer: claims ? answer.answer : undefined };
    parts.push(claimPart(claim, change, rest));
  }
  parts.push(...change.writes.flatMap((write) => writeParts(write, clock.shiftMs)));
  if (retriedDelivery) parts.push(retryPart(retriedDelivery, clock.shiftMs));
  if (retiredSecrets) parts.push(retireSecretsPart(retiredSecrets));
  if (secret) parts.push(secretPart(secret));
  if (balanceTransactions.length > 0) parts.push(balanceTransactionsPart(balanceTransactions));
  if (events.length > 0) parts.push(eventsPart(events));
  if (deliveries.length > 0) parts.push(deliveriesPart(deliveries, clock.shiftMs));
  if (answer && !claims) parts.push(answerPart(answer.key, answer.answer));
  if (postings.length > 0) parts.push(postingsPart(postings));
  return parts;
}

function writeParts(write: Write, shiftMs: number): readonly Part[] {
  const part = write.mode === 'insert' ? insertPart : updatePart;
  switch (write.kind) {
    case 'charge':
      return [part(chargeTable, write.row)];
    case 'refund':
      return [part(refundTable, write.row)];
    case 'payment_method':
      return [part(paymentMethodTable, write.row)];
    case 'token':
      return [part(tokenTable, write.row)];
    case 'operation':
      return [part(operationTable, write.row)];
    case 'endpoint':
      return write.mode === 'insert'
        ? [insertPart(endpointTable, write.row)]
        : endpointUpdateParts(write.row, shiftMs);
  }
}
