import assert from 'node:assert/strict';
import {
  type AuditEntry,
  type ChangeRepository,
  type ChangeResult,
  HookError,
} from '@paymount/core/changes';
import type { Dispatch } from '@paymount/core/events';
import type { Owner } from '@paymount/core/kernel';
import { type HookPayload, hookCallsOf, type StoredChange } from '@paymount/core/store';
import { appendAudit, appendAuditAtCommit } from '../audit/audit-rows.ts';
import { readEndpoints } from '../deliveries/account-endpoints.ts';
import {
  dispatchCommitted,
  dispatchReleased,
  type PlannedDelivery,
  planDeliveries,
  reserve,
} from '../deliveries/fan-out.ts';
import { ensureLedgerAccounts } from '../ledger/ledger-accounts.ts';
import { foldBefore } from '../ledger/ledger-parts.ts';
import { foldBalances } from '../ledger/ledger-tail.ts';
import type { OpenTransaction, Session } from '../transaction/session.ts';
import { inTransaction, rerun } from '../transaction/transaction.ts';
import { applyAlone } from './apply-alone.ts';
import { applyTogether } from './apply-together.ts';
import { writtenRow } from './change-parts.ts';
import type { Applied } from './change-statement.ts';
import {
  announceChosen,
  type ChangePorts,
  executeChange,
  fannedOut,
  type HostHook,
} from './execute-change.ts';
import { onlyRecordsEvents } from './shared-commits.ts';

/** Commits changes: the only writer of events, and of everything that moves money. */
export function changeRows(session: Session, ports: ChangePorts): ChangeRepository<StoredChange> {
  return {
    async apply(change, { isLast = false } = {}) {
      for (const { row } of change.writes) assertOwned(row, change);
      for (const event of change.events ?? []) assertOwned(event, change);
      for (const delivery of change.chosenDeliveries ?? []) assertOwned(delivery, change);
      const { open } = session;
      if (open && !open.isShared) return applyInside({ session, open, isLast }, change, ports);
      const hooked = ports.hook && hookCallsOf(change).length > 0;
      if (open || hooked || change.audit || foldBefore(change).length > 0) {
        // Outside the transaction: its hook may be slow, and others that open the same accounts
        // would wait.
        if (!open) await ensureLedgerAccounts(session, change, ports.knownLedgers);
        return applyInOwn(session, change, ports);
      }
      if (onlyRecordsEvents(change)) {
        return ports.sharedCommits.apply(change, (all) => applyTogether(session, all, ports));
      }
      return rerun(() => session.pinned((pinned) => applyAlone(pinned, change, ports)));
    },
  };
}

/** In a transaction, or a savepoint of the host's, that has nothing else. */
async function applyInOwn(
  session: Session,
  change: StoredChange,
  ports: ChangePorts,
): Promise<ChangeResult> {
  try {
    return await inTransaction(session, async (inner) => {
      const result = await changeRows(inner, ports).apply(change, { isLast: true });
      if (result === 'raced') throw new Abandoned();
      return result;
    });
  } catch (error) {
    if (error instanceof Abandoned) return 'raced';
    throw error;
  }
}

function assertOwned(row: Owner, { accountId, environment }: StoredChange): void {
  assert.equal(row.accountId, accountId, 'A change writes rows of one account.');
  assert.equal(row.environment, environment, 'A change writes rows of one environment.');
}

/** The transaction in which a change is applied. */
interface Place {
  readonly session: Session;
  readonly open: OpenTransaction;
  /** Whatever does not succeed is rolled back with the transaction. */
  readonly isLast: boolean;
}

/**
 * In a transaction, deliveries are leased only if it is ours: the host's may stay open for long.
 */
async function applyInside(
  place: Place,
  change: StoredChange,
  ports: ChangePorts,
): Promise<ChangeResult> {
  const { session, open } = place;
  await ensureLedgerAccounts(session, change, ports.knownLedgers);
  for (const currency of foldBefore(change)) await foldBalances(session, change, currency);
  const events = fannedOut(change);
  const found = events.length > 0 ? await readEndpoints(session, change, change.at) : undefined;
  const planned = planDeliveries(change, events, found?.endpoints ?? []);
  const deliveries = open.kind === 'own' ? reserve(ports.dispatch, planned) : planned;
  try {
    const { result, at } = await inSavepointIfNeeded(place, change, ports, (on) =>
      executeChange(on, change, { deliveries }, ports),
    );
    // After the rows of the change, because the head of a chain is locked second to last.
    if (result === 'applied' && change.audit) await writeAudit(session, open, change.audit);
    if (result === 'applied') {
      const written = writtenRow(change);
      if (written) open.wrote(written);
      announceAtEnd(open, ports.dispatch, deliveries, at);
      open.onEnd((end) => {
        if (end !== 'rolled_back') announceChosen(ports.dispatch, change);
      });
    } else dispatchReleased(ports.dispatch, deliveries);
    return result;
  } catch (error) {
    dispatchReleased(ports.dispatch, deliveries);
    throw error;
  }
}

async function writeAudit(
  session: Session,
  open: OpenTransaction,
  entry: AuditEntry,
): Promise<void> {
  if (open.kind === 'host') await appendAuditAtCommit(session, entry);
  else await appendAudit(session, [entry]);
}

/**
 * With more than one guard, or with a hook, some rows may have been written when the rest fails.
 */
async function inSavepointIfNeeded(
  { session, open, isLast }: Place,
  change: StoredChange,
  ports: ChangePorts,
  work: (on: Session) => Promise<Applied>,
): Promise<Applied> {
  const { hook } = ports;
  const calls = hook === undefined ? [] : hookCallsOf(change);
  const updates = change.writes.filter(({ mode }) => mode === 'update').length;
  const { claim, retriedDelivery, chosenDeliveries, attached, clock } = change;
  const others = [claim, retriedDelivery, chosenDeliveries, attached, clock];
  const guards = updates + others.filter(Boolean).length;
  const hooked = async (on: Session, within: OpenTransaction): Promise<Applied> => {
    const answered = await work(on);
    if (answered.result !== 'applied' || !hook) return answered;
    for (const call of calls) await runHook(within, hook, call);
    return answered;
  };
  if (isLast || (guards < 2 && calls.length === 0)) return hooked(session, open);
  let answered: Applied | undefined;
  try {
    return await open.savepoint(async (inner, savepoint) => {
      answered = await hooked(inner, savepoint);
      if (answered.result === 'raced') throw new Abandoned();
      return answered;
    });
  } catch (error) {
    if (error instanceof Abandoned && answered) return answered;
    throw error;
  }
}

/** Rolls back after a race, so that no part of the change stays. */
class Abandoned extends Error {}

async function runHook(open: OpenTransaction, hook: HostHook, settled: HookPayload): Promise<void> {
  try {
    await open.runHook(async (trx) => {
      await hook(trx, settled);
    });
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
    // If the host rolled back, there are no rows, and a claim by id finds nothing.
    if (end === 'rolled_back') dispatchReleased(dispatch, deliveries);
    else dispatchCommitted(dispatch, deliveries, at);
  });
}
