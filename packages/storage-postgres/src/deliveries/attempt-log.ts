import type {
  AttemptErrorCode,
  AttemptOutcome,
  AttemptRecord,
  Delivery,
  DeliveryLog,
} from '@paymount/core/events';
import { type AttemptId, type DeliveryId, livemode } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { type EventAtEndpointRow, toEventAtEndpoint } from './event-at-endpoint.ts';

const MAX_ATTEMPTS = 100;

interface ContentRow {
  readonly body: string | null;
  readonly expunged_at: Date | null;
  readonly api_version: string | null;
}

interface AttemptRow extends EventAtEndpointRow {
  readonly id: AttemptId;
  readonly delivery_id: DeliveryId;
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly error_code: AttemptErrorCode | null;
  readonly error_detail: string | null;
  readonly url: string;
  readonly remote_address: string | null;
  readonly request_headers: AttemptRecord['requestHeaders'];
  readonly response_status: number | null;
  readonly response_headers: NonNullable<AttemptRecord['responseHeaders']> | null;
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

const ATTEMPT_COLUMNS = [
  'account_id',
  'livemode',
  'event_id',
  'event_type',
  'endpoint_id',
  'id',
  'delivery_id',
  'attempt',
  'outcome',
  'error_code',
  'error_detail',
  'url',
  'host(remote_address) AS remote_address',
  'request_headers',
  'response_status',
  'response_headers',
  'response_body',
  'response_truncated',
  'started_at',
  'duration_ms',
  'dns_ms',
  'connect_ms',
  'tls_ms',
  'wait_ms',
  'reused_connection',
  'redialed',
];

const attempts = statement(
  'pm_deliveries_attempts_v2',
  (s) => `SELECT ${ATTEMPT_COLUMNS.join(', ')} FROM ${s}.delivery_attempts
    WHERE delivery_id = $1 ORDER BY attempt DESC, started_at DESC LIMIT ${MAX_ATTEMPTS}`,
);
const content = statement(
  'pm_deliveries_content_v2',
  (s) => `SELECT v.body, v.expunged_at,
      (SELECT api_version FROM ${s}.webhook_endpoints WHERE id = $4) AS api_version
    FROM (SELECT) one LEFT JOIN ${s}.events v
      ON v.account_id = $1 AND v.livemode = $2 AND v.id = $3`,
);

/** What is logged of a delivery; see `DeliveryReader.log`. */
export async function readDeliveryLog(
  session: Session,
  { id, accountId, environment, eventId, endpointId }: Delivery,
): Promise<DeliveryLog> {
  const made = (await session.query<AttemptRow>(attempts, [id])).rows.map(toAttempt);
  const values = [accountId, livemode(environment), eventId, endpointId];
  const [row] = (await session.query<ContentRow>(content, values)).rows;
  const { body = null, expunged_at: expungedAt = null, api_version = null } = row ?? {};
  return { attempts: made, apiVersion: api_version ?? '', ...present({ body, expungedAt }) };
}

function toAttempt(row: AttemptRow): AttemptRecord {
  return {
    id: row.id,
    ...toEventAtEndpoint(row),
    deliveryId: row.delivery_id,
    attempt: row.attempt,
    outcome: row.outcome,
    url: row.url,
    requestHeaders: row.request_headers,
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
