import type {
  Delivery,
  DeliveryDirectory,
  DeliveryFilter,
  DeliveryReader,
} from '@paymount/core/events';
import {
  type AdminListFilter,
  type AdminScope,
  type DeliveryId,
  livemode,
  type Owner,
  type Page,
  type PageRequest,
  type ReplayId,
} from '@paymount/core/kernel';
import { filtersWithin } from '../shared/admin-rows.ts';
import { readPage } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { readDeliveryLog } from './attempt-log.ts';
import { readCounts } from './count-readers.ts';
import { isToSetter, listedDeliveries } from './delivery-list.ts';
import { type EventAtEndpointRow, toEventAtEndpoint } from './event-at-endpoint.ts';

interface DeliveryRow extends EventAtEndpointRow {
  readonly id: DeliveryId;
  readonly origin: Delivery['origin'];
  readonly replay_id: ReplayId | null;
  readonly state: Delivery['state'];
  readonly attempt: number;
  readonly due_at: Date;
  readonly attempting: boolean;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created: Date;
  readonly finished_at: Date | null;
}

const COLUMNS = [
  'id',
  'account_id',
  'livemode',
  'event_id',
  'event_type',
  'endpoint_id',
  'origin',
  'replay_id',
  'state',
  'attempt',
  'due_at',
  'last_status',
  'last_error',
  'created',
  'finished_at',
].map((name) => `t.${name}`);
/** The offset of a fake clock is a number of milliseconds from our own code. */
const attemptingAt = (shiftMs: number): string =>
  `COALESCE(t.lease_until > now() + interval '${Math.round(shiftMs)} ms', false) AS attempting`;

interface ShiftedClock {
  readonly shiftMs: number;
}

/**
 * The deliveries of one account and environment.
 * @param clock its offset is added to the database's time
 */
export function deliveryReader(session: Session, clock: ShiftedClock): DeliveryReader {
  const scopeOf = ({ accountId, environment }: Parameters<DeliveryReader['find']>[0]) => ({
    accounts: [accountId],
    environments: [environment],
  });
  return {
    find: (owner, id, urlSetBy) => findDelivery(session, clock, id, owner, urlSetBy),
    list: (owner, filter, page) =>
      listDeliveries(session, clock, { scope: scopeOf(owner), filter, page }),
    log: (delivery) => readDeliveryLog(session, delivery),
    counts: (owner, filter) => readCounts(session, scopeOf(owner), filter),
  };
}

/**
 * Deliveries for admins, across accounts.
 * @param clock its offset is added to the database's time
 */
export function deliveryDirectory(session: Session, clock: ShiftedClock): DeliveryDirectory {
  return {
    find: (id) => findDelivery(session, clock, id),
    list(scope, { account, environment, ...filter }, page) {
      const wanted = scopeWithin(scope, { account, environment });
      return listDeliveries(session, clock, { scope: wanted, filter, page });
    },
    log: (delivery) => readDeliveryLog(session, delivery),
    counts: (scope, { account, environment, ...filter }) =>
      readCounts(session, scopeWithin(scope, { account, environment }), filter),
  };
}

/** What an admin sees of what a filter names. */
function scopeWithin(
  scope: AdminScope,
  {
    account,
    environment,
  }: { readonly [Name in 'account' | 'environment']: AdminListFilter[Name] | undefined },
): AdminScope {
  const asked = filtersWithin(scope, {
    ...(account && { account }),
    ...(environment && { environment }),
  });
  return { accounts: asked.accounts ?? 'all', environments: asked.environments };
}

/**
 * @param owner of the delivery, if the caller may see no other; compared by the server, so that a
 *   delivery of somebody else takes no longer than one that does not exist
 */
async function findDelivery(
  session: Session,
  { shiftMs }: ShiftedClock,
  id: DeliveryId,
  owner?: Owner,
  urlSetBy: string | null = null,
): Promise<Delivery | undefined> {
  const { schema } = session.statements;
  const owned =
    owner === undefined
      ? ''
      : ` AND account_id = $2 AND livemode = $3
    AND ($4::text IS NULL OR ${isToSetter(schema, '$4')})`;
  const { rows } = await session.plain<DeliveryRow>(
    `SELECT ${[...COLUMNS, attemptingAt(shiftMs)].join(', ')} FROM ${schema}.deliveries t
     WHERE id = $1${owned}`,
    owner === undefined ? [id] : [id, owner.accountId, livemode(owner.environment), urlSetBy],
  );
  return rows[0] && toDelivery(rows[0]);
}

async function listDeliveries(
  session: Session,
  { shiftMs }: ShiftedClock,
  {
    scope,
    filter,
    page,
  }: {
    readonly scope: AdminScope;
    readonly filter: DeliveryFilter;
    readonly page: PageRequest;
  },
): Promise<Page<Delivery>> {
  const { schema } = session.statements;
  const columns = [...COLUMNS, attemptingAt(shiftMs)];
  const listed = { ...listedDeliveries({ schema, scope, filter }), columns };
  return readPage(session, listed, page, toDelivery);
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    ...toEventAtEndpoint(row),
    origin: row.origin,
    state: row.state,
    attempt: row.attempt,
    dueAt: row.due_at,
    attempting: row.attempting,
    created: row.created,
    ...present({
      replayId: row.replay_id,
      lastStatus: row.last_status,
      lastError: row.last_error,
      finishedAt: row.finished_at,
    }),
  };
}
