import type { EventType } from '@paymount/core/changes';
import type {
  AttemptErrorCode,
  AttemptOutcome,
  Delivery,
  DeliveryDirectory,
  DeliveryFilter,
  LoggedAttempt,
} from '@paymount/core/events';
import type {
  AccountId,
  AttemptId,
  DeliveryId,
  EndpointId,
  EventId,
  ReplayId,
} from '@paymount/core/kernel';
import { environmentOf } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import type { Session } from '../session.ts';
import { readPage, whereEqual, whereFiltered, whereInAdminScope } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import { statement } from '../shared/statement.ts';
import { ANY_ORIGIN } from './any-origin.ts';

const MAX_ATTEMPTS = 100;

interface OwnedRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly event_id: EventId;
  readonly event_type: EventType;
  readonly endpoint_id: EndpointId;
}

interface DeliveryRow extends OwnedRow {
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

interface AttemptRow extends OwnedRow {
  readonly id: AttemptId;
  readonly delivery_id: DeliveryId;
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly error_code: AttemptErrorCode | null;
  readonly error_detail: string | null;
  readonly url: string;
  readonly remote_address: string | null;
  readonly response_status: number | null;
  readonly response_headers: NonNullable<LoggedAttempt['responseHeaders']> | null;
  readonly response_body: Buffer | null;
  readonly response_truncated: boolean;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly dns_ms: number | null;
  readonly connect_ms: number | null;
  readonly tls_ms: number | null;
  readonly wait_ms: number | null;
  readonly reused_connection: boolean;
  readonly redialed: boolean;
}

const OWNED = ['account_id', 'livemode', 'event_id', 'event_type', 'endpoint_id'] as const;
const COLUMNS = [
  ...OWNED,
  ...['id', 'origin', 'replay_id', 'state', 'attempt', 'due_at'],
  ...['last_status', 'last_error', 'created', 'finished_at'],
];
const ATTEMPT_COLUMNS = [
  ...OWNED,
  ...['id', 'delivery_id', 'attempt', 'outcome', 'error_code', 'error_detail', 'url'],
  ...['host(remote_address) AS remote_address', 'response_status', 'response_headers'],
  ...['response_body', 'response_truncated', 'started_at', 'duration_ms', 'dns_ms', 'connect_ms'],
  ...['tls_ms', 'wait_ms', 'reused_connection', 'redialed'],
];
/** The offset of a fake clock is a number of milliseconds from our own code. */
const attemptingAt = (shiftMs: number): string =>
  `COALESCE(lease_until > now() + interval '${Math.round(shiftMs)} ms', false) AS attempting`;

const attempts = statement(
  'pm_deliveries_attempts_v1',
  (s) => `SELECT ${ATTEMPT_COLUMNS.join(', ')} FROM ${s}.delivery_attempts
    WHERE delivery_id = $1 ORDER BY attempt DESC, started_at DESC LIMIT ${MAX_ATTEMPTS}`,
);

/**
 * Lists of deliveries and their attempts, for admins.
 * @param clock its offset is added to the database's time
 */
export function deliveryDirectory(
  session: Session,
  clock: { readonly shiftMs: number },
): DeliveryDirectory {
  const columns = (): string[] => [...COLUMNS, attemptingAt(clock.shiftMs)];
  return {
    async find(id) {
      const { schema } = session.statements;
      const { rows } = await session.plain<DeliveryRow>(
        `SELECT ${columns().join(', ')} FROM ${schema}.deliveries WHERE id = $1`,
        [id],
      );
      return rows[0] && toDelivery(rows[0]);
    },
    async list(scope, filter, page) {
      const listed = {
        table: 'deliveries',
        columns: columns(),
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => narrow(query, filter),
      };
      const found = await readPage<DeliveryRow>(session, listed, page);
      return { ...found, data: found.data.map(toDelivery) };
    },
    async attempts(id) {
      return (await session.query<AttemptRow>(attempts, [id])).rows.map(toAttempt);
    },
  };
}

function narrow(query: Knex.QueryBuilder, { status, ...filter }: DeliveryFilter): void {
  whereFiltered(query, filter);
  whereEqual(query, 'state', status);
  if (status === 'pending') query.whereRaw(ANY_ORIGIN);
  whereEqual(query, 'endpoint_id', filter.endpoint);
  whereEqual(query, 'event_id', filter.event);
  whereEqual(query, 'replay_id', filter.replay);
}

function owned(row: OwnedRow) {
  return {
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    eventId: row.event_id,
    eventType: row.event_type,
    endpointId: row.endpoint_id,
  };
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    ...owned(row),
    id: row.id,
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

function toAttempt(row: AttemptRow): LoggedAttempt {
  return {
    ...owned(row),
    id: row.id,
    deliveryId: row.delivery_id,
    attempt: row.attempt,
    outcome: row.outcome,
    url: row.url,
    responseTruncated: row.response_truncated,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    reusedConnection: row.reused_connection,
    redialed: row.redialed,
    ...present({
      errorCode: row.error_code,
      errorDetail: row.error_detail,
      remoteAddress: row.remote_address,
      responseStatus: row.response_status,
      responseHeaders: row.response_headers,
      responseBody: row.response_body,
      dnsMs: row.dns_ms,
      connectMs: row.connect_ms,
      tlsMs: row.tls_ms,
      waitMs: row.wait_ms,
    }),
  };
}
