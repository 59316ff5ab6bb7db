import type { ChangeResult } from '@paymount/core/changes';
import { livemode, PaymountError } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import { isSqlError } from '../connection/sql-errors.ts';
import { type AccountEndpoints, endpointsPart } from '../deliveries/account-endpoints.ts';
import { deliveriesPart } from '../deliveries/delivery-parts.ts';
import {
  dispatchCommitted,
  dispatchReleased,
  type PlannedDelivery,
  planDeliveries,
  reserve,
} from '../deliveries/fan-out.ts';
import { eventsPart } from '../events/event-parts.ts';
import type { Session } from '../transaction/session.ts';
import { rerun } from '../transaction/transaction.ts';
import { applyAlone } from './apply-alone.ts';
import { type ChangeRow, changeStatement } from './change-statement.ts';
import { credentialParts } from './credential-parts.ts';
import type { ChangePorts } from './execute-change.ts';
import { manyRows } from './row-source.ts';

/** A change, and the endpoints of its account that this process read last. */
interface Member {
  readonly change: StoredChange;
  readonly known: AccountEndpoints;
}

/**
 * Commits changes that only record events, in one statement if the endpoints of several are known.
 * If it wrote nothing, because anything was wrong with one of them, each is committed alone.
 * @returns a promise for each change, in their order
 */
export function applyTogether(
  session: Session,
  changes: readonly StoredChange[],
  ports: ChangePorts,
): readonly Promise<ChangeResult>[] {
  const members = new Map<StoredChange, Member>();
  for (const change of changes) {
    const known = ports.knownEndpoints.get(change);
    if (known) members.set(change, { change, known });
  }
  const [first, ...others] = members.values();
  const isCommitted =
    first && others.length > 0 ? commitShared(session, [first, ...others], ports) : undefined;
  return changes.map(async (change) => {
    if (isCommitted && members.has(change) && (await isCommitted)) return 'applied';
    return rerun(() => session.pinned((pinned) => applyAlone(pinned, change, ports)));
  });
}

type Members = readonly [Member, ...Member[]];

/**
 * @returns false if nothing was written
 * @throws `unavailable` if it is unknown whether the changes were committed
 */
async function commitShared(
  session: Session,
  members: Members,
  ports: ChangePorts,
): Promise<boolean> {
  const { dispatch } = ports;
  const planned = members.flatMap(({ change, known }) =>
    planDeliveries(change, change.events ?? [], known.endpoints),
  );
  const deliveries = reserve(dispatch, planned);
  let at: Date | undefined;
  try {
    at = await executeShared(session, members, deliveries, ports);
  } catch (error) {
    const cause = PaymountError.is(error) ? error.cause : error;
    if (!isSqlError(cause)) throw error;
  } finally {
    if (at) dispatchCommitted(dispatch, deliveries, at);
    else dispatchReleased(dispatch, deliveries);
  }
  return at !== undefined;
}

/** @returns the time of the commit; undefined if a guard did not pass: nothing was written */
async function executeShared(
  session: Session,
  members: Members,
  deliveries: readonly PlannedDelivery[],
  { clock }: ChangePorts,
): Promise<Date | undefined> {
  const known = new Set(members.map((member) => member.known));
  const credentials = members.flatMap(({ change: { credential, ...change } }) =>
    credential ? [{ ...change, credential }] : [],
  );
  const parts = [
    endpointsPart([...known], manyRows),
    ...credentialParts(credentials, manyRows),
    eventsPart(
      members.flatMap(({ change }) => change.events ?? []),
      manyRows,
    ),
    ...(deliveries.length > 0 ? [deliveriesPart(deliveries, clock.shiftMs, manyRows)] : []),
  ];
  const { accountId, environment } = members[0].change;
  const owner = [accountId, livemode(environment)] as const;
  const { statement, values } = changeStatement(owner, parts, 'shared');
  const { rows } = await session.query<ChangeRow>(statement, values);
  return rows[0]?.result === 'applied' ? rows[0].at : undefined;
}
