// Programs that use generated clients. They are texts, as they compile only beside what was generated.

const READ_ENVIRONMENT = `
const said = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(name + ' is not set.');
  return value;
};
const sale = { amount: 4200, currency: 'eur', source: 'tok_visa', metadata: { order: '17' } };
`;

/** With the types of openapi-typescript and openapi-fetch, its own client. */
export const FETCH_PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api';
import type { paths as ManagementPaths } from './management';
${READ_ENVIRONMENT}
const client = createClient<paths>({
  baseUrl: said('API_URL'),
  headers: { authorization: 'Bearer ' + said('SECRET_KEY') },
});
const admin = createClient<ManagementPaths>({
  baseUrl: said('MANAGEMENT_URL'),
  headers: { authorization: 'Bearer ' + said('ADMIN_TOKEN') },
});

async function main(): Promise<void> {
  const made = await client.POST('/v1/charges', {
    params: { header: { 'Idempotency-Key': 'fetch-1' } },
    body: { ...sale, expand: ['payment_method'] },
  });
  if (made.error !== undefined) throw new Error(made.error.error.code);
  const { id, payment_method: method } = made.data;
  const listed = await client.GET('/v1/charges', {
    params: { query: { created: { gte: '2020-01-01T00:00:00Z' }, status: 'succeeded' } },
  });
  const refund = await client.POST('/v1/refunds', { body: { charge: id, reason: 'duplicate' } });
  const declined = await client.POST('/v1/charges', {
    body: { ...sale, source: 'tok_visa_chargeDeclined' },
  });
  const me = await admin.GET('/me');
  console.log(JSON.stringify({
    status: made.data.status,
    amount: made.data.amount,
    order: made.data.metadata['order'],
    found: listed.data?.data.length,
    refunded: refund.data?.status,
    method: typeof method === 'string' ? method : method.card?.brand,
    declined: declined.error?.error.code,
    admin: me.data?.id,
  }));
}

/** The type of an event tells what it is about. */
export function arrival(event: components['schemas']['Event']): string | null {
  if (event.type === 'payout.paid') return event.data.object.arrival_date;
  return event.type === 'charge.failed' ? event.data.object.failure_code : null;
}

export const wrong = (): unknown =>
  // @ts-expect-error amounts are numbers
  client.POST('/v1/charges', { body: { ...sale, amount: '4200' } });

main().catch((error: unknown) => {
  console.error(JSON.stringify(error));
  process.exitCode = 1;
});
`;

/** With the functions of @hey-api/openapi-ts. */
export const HEY_API_PROGRAM = `
import { client } from './hey-api/client.gen';
import { createCharge, createRefund, listCharges } from './hey-api/sdk.gen';
import type { Event } from './hey-api/types.gen';
import { client as adminClient } from './hey-management/client.gen';
import { retrieveMe } from './hey-management/sdk.gen';
${READ_ENVIRONMENT}
client.setConfig({ baseUrl: said('API_URL'), auth: () => said('SECRET_KEY') });
adminClient.setConfig({ baseUrl: said('MANAGEMENT_URL'), auth: () => said('ADMIN_TOKEN') });

async function main(): Promise<void> {
  const made = await createCharge({
    headers: { 'Idempotency-Key': 'hey-1' },
    body: { ...sale, expand: ['payment_method'] },
    throwOnError: true,
  });
  const { id, payment_method: method } = made.data;
  const listed = await listCharges({
    query: { created: { gte: made.data.created }, status: 'succeeded' },
    throwOnError: true,
  });
  const refund = await createRefund({ body: { charge: id, reason: 'duplicate' } });
  const declined = await createCharge({ body: { ...sale, source: 'tok_visa_chargeDeclined' } });
  const me = await retrieveMe();
  console.log(JSON.stringify({
    status: made.data.status,
    amount: made.data.amount,
    order: made.data.metadata['order'],
    found: listed.data.data.filter((charge) => charge.id === id).length,
    refunded: refund.data?.status,
    method: typeof method === 'string' ? method : method.card?.brand,
    declined: declined.error?.error.code,
    admin: me.data?.id,
  }));
}

/** The type of an event tells what it is about. */
export function arrival(event: Event): string | null {
  if (event.type === 'payout.paid') return event.data.object.arrival_date;
  return event.type === 'charge.failed' ? event.data.object.failure_code : null;
}

export const wrong = (): unknown =>
  // @ts-expect-error amounts are numbers
  createCharge({ body: { ...sale, amount: '4200' } });

main().catch((error: unknown) => {
  console.error(JSON.stringify(error));
  process.exitCode = 1;
});
`;
