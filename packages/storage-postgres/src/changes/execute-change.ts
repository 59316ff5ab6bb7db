import assert from 'node:assert/strict';
import { type Event, HookError } from '@paymount/core/changes';
import type { Dispatch } from '@paymount/core/events';
import { type CrashPoint, livemode } from '@paymount/core/kernel';
import { type HookPayload, hookCallsOf, type StoredChange } from '@paymount/core/store';
import { isLostLedger } from '../connection/sql-errors.ts';
import {
  type AccountEndpoints,
  endpointsPart,
  type KnownEndpoints,
} from '../deliveries/account-endpoints.ts';
import type { PlannedDelivery } from '../deliveries/fan-out.ts';
import { noHookPart } from '../hook-use/hook-use-rows.ts';
import type { HookTransaction } from '../transaction/hook-transaction.ts';
import type { Session } from '../transaction/session.ts';
import { buildParts } from './change-parts.ts';
import { type Applied, type ChangeRow, changeStatement, failedRow } from './change-statement.ts';
import type { SharedCommits } from './shared-commits.ts';

/**
 * The host's SQL, which commits with a result or not at all. It may take 5 s at most, because rows
 * are locked. For an invoice that is about to get its number it may return lines.
 */
export type HostHook = (trx: HookTransaction, settled: HookPayload) => Promise<unknown>;

/** What the commit of a change needs besides its session. */
export interface ChangePorts {
  readonly dispatch: Dispatch;
  readonly hook?: HostHook;
  /** Offset of business time from the machine's time: 0 except with a fake clock. */
  readonly clock: { readonly shiftMs: number };
  /** Ledger accounts known to be committed, by owner and currency, cached in this process. */
  readonly knownLedgers: Set<string>;
  readonly knownEndpoints: KnownEndpoints;
  readonly sharedCommits: SharedCommits;
  readonly crashPoint: CrashPoint;
}

/** The deliveries that a change inserts. */
export interface DeliveryPlan {
  readonly deliveries: readonly PlannedDelivery[];
  /** The endpoints that they are for, if these were not read just before. */
  readonly reliesOn?: AccountEndpoints;
}

/** The endpoints that a change relied on have changed; nothing was written. */
export class EndpointsChanged extends Error {}

const HOOKLESS = 'A hook is in use, and this process has no hook; nothing was committed.';

/**
 * Sends the statement of a change.
 * @returns 'raced' also when the statement failed because of a race
 * @throws EndpointsChanged
 */
export async function executeChange(
  session: Session,
  change: StoredChange,
  { deliveries, reliesOn }: DeliveryPlan,
  ports: ChangePorts,
): Promise<Applied> {
  const parts = [
    ...(reliesOn ? [endpointsPart([reliesOn])] : []),
    ...(!ports.hook && hookCallsOf(change).length > 0 ? [noHookPart()] : []),
    ...buildParts(change, deliveries, ports.clock.shiftMs),
  ];
  const owner = [change.accountId, livemode(change.environment)] as const;
  const { statement, values } = changeStatement(owner, parts, session.open?.kind);
  if (change.credential) session.open?.commitSoon();
  try {
    const { rows } = await session.query<ChangeRow>(statement, values);
    const [row] = rows;
    assert.ok(row, 'The statement of a change answers one row.');
    const { result, at } = row;
    if (result === 'hook_missing') throw new HookError(HOOKLESS, { isMissing: true });
    if (result === 'endpoints_changed') throw new EndpointsChanged();
    return { result, at };
  } catch (error) {
    // After the database was restored, cached accounts may no longer exist: the next try opens them
    // again.
    if (isLostLedger(error)) ports.knownLedgers.clear();
    return failedRow(error, change);
  }
}

/** The events for all matching endpoints, without those for named endpoints. */
export function fannedOut(change: StoredChange): readonly Event[] {
  const { events = [], chosenDeliveries = [], onlyChosen = false } = change;
  if (onlyChosen) return [];
  const chosen = new Set(chosenDeliveries.map(({ eventId }) => eventId));
  return events.filter(({ id }) => !chosen.has(id));
}

/** Wakes the workers for deliveries to named endpoints, once they are committed. */
export function announceChosen(dispatch: Dispatch, { chosenDeliveries = [] }: StoredChange): void {
  if (chosenDeliveries.length > 0) dispatch.announce(chosenDeliveries.map(({ id }) => id));
}
