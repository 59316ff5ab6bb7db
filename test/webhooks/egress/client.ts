import {
  createDeliveryClient,
  type DeliveryClient,
  type DeliveryClientOptions,
  type SendResult,
} from '@paymount/webhooks';

export const BODY = Buffer.from('{"id":"evt_1","note":"café 😀"}');

/** The instant at which the tests' clients read `Retry-After`. */
export const NOW_MS = Date.parse('2026-11-21T09:30:00.000Z');

/** A client that may reach loopback; its deadline is 1 s instead of 20. */
export function testClient(options: Partial<DeliveryClientOptions> = {}): DeliveryClient {
  return createDeliveryClient({
    nowMs: () => NOW_MS,
    allowedNetworks: ['127.0.0.0/8'],
    ports: 'any',
    deadlineMs: 1_000,
    bodyMs: 200,
    ...options,
  });
}

export function send(
  client: DeliveryClient,
  url: string,
  { body = BODY, onHeadersSlow }: { readonly body?: Buffer; onHeadersSlow?: () => void } = {},
): Promise<SendResult> {
  return client.send({
    url,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Service-Attempt': '1' },
    body,
    environment: 'test',
    ...(onHeadersSlow === undefined ? {} : { onHeadersSlow }),
  });
}

/** What the tables of outcomes compare. */
export function toOutcome(result: SendResult): Record<string, unknown> {
  if ('response' in result) {
    const { status, truncated } = result.response;
    const code = result.outcome === 'failed' ? { errorCode: result.errorCode } : {};
    return { outcome: result.outcome, ...code, status, truncated };
  }
  const detail = result.errorDetail === undefined ? {} : { errorDetail: result.errorDetail };
  return { outcome: result.outcome, errorCode: result.errorCode, ...detail };
}
