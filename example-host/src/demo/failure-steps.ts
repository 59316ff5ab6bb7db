import { callApi } from './api-client.ts';
import { eventually } from './eventually.ts';
import { openOrigin } from './origin.ts';
import type { Setup } from './setup.ts';
import { check, type Step } from './step.ts';
import { UndoStack } from './undo-stack.ts';

const ATTEMPT_LIMIT_MS = 5_000;

/** A receiver that fails, and the retry of its delivery. */
export const failureSteps: readonly Step[] = [
  { tries: 'a delivery to a receiver that answers 500', run: failDelivery },
];

async function failDelivery(setup: Setup): Promise<string> {
  const undo = new UndoStack();
  const broken = await openOrigin(0, undo);
  broken.serve((_request, response) => response.writeHead(500).end('broken'));
  try {
    const endpoint = await setup.paymount.webhookEndpoints.create(setup.merchant, {
      url: broken.url,
      enabled_events: ['charge.failed'],
    });
    await decline(setup);
    const { minutes } = await eventually('an attempt to be answered 500', ATTEMPT_LIMIT_MS, () =>
      secondAttempt(setup, endpoint.id),
    );
    await setup.paymount.webhookEndpoints.delete(setup.merchant, endpoint.id);
    return `A declined card got 402; a receiver that answered its event with 500 gets it again in ${minutes} min; a delivery has up to eight attempts`;
  } finally {
    await undo.close();
  }
}

async function decline({ environments: { test } }: Setup): Promise<void> {
  const { status, body } = await callApi(test, test.secretKey, '/v1/charges', {
    amount: '1800',
    currency: 'usd',
    payment_method: 'pm_card_visa_chargeDeclined',
  });
  check(status === 402, `A declined card got ${status}: ${JSON.stringify(body)}.`);
}

async function secondAttempt(
  { database }: Setup,
  endpointId: string,
): Promise<{ readonly minutes: number } | undefined> {
  const { rows }: { rows: Record<string, unknown>[] } = await database.raw(
    `SELECT round(extract(epoch FROM d.due_at - a.started_at) / 60)::int AS minutes
       FROM paymount.deliveries d JOIN paymount.delivery_attempts a ON a.delivery_id = d.id
      WHERE d.endpoint_id = ? AND d.attempt = 2 AND d.state = 'pending' AND a.response_status = 500`,
    [endpointId],
  );
  const [row] = rows;
  return row && { minutes: Number(row['minutes']) };
}
