import { type ApiAnswer, callApi } from './api-client.ts';
import { eventually } from './eventually.ts';
import { makeKey } from './make-key.ts';
import type { Setup } from './setup.ts';
import { check, type Step } from './step.ts';

/** The specification's limit for a revocation to take effect everywhere. */
const REVOCATION_LIMIT_MS = 1_000;
/** Addresses reserved for documentation (RFC 5737). */
const OFFICE = '203.0.113.0/24';

/** Keys without a permission, and keys that were revoked. */
export const accessSteps: readonly Step[] = [
  { tries: 'a test key at the live origin', run: wrongEnvironment },
  { tries: 'a restricted key', run: restrictedKey },
  { tries: 'a key that is tied to addresses', run: tiedKey },
  { tries: 'a revoked key', run: revokedKey },
];

async function wrongEnvironment({ environments: { test, live } }: Setup): Promise<string> {
  const { status } = await callApi(live, test.secretKey, '/v1/charges');
  check(status === 401, `It got ${status}.`);
  return 'A test key got 401 at the live origin';
}

async function restrictedKey(setup: Setup): Promise<string> {
  const { paymount, merchant, environments } = setup;
  const { secret } = await paymount.keys.create({
    account: merchant.account,
    livemode: false,
    type: 'restricted',
    scopes: ['charges:read'],
    name: 'Demo, reads charges only',
  });
  const read = await callApi(environments.test, secret, '/v1/charges');
  check(read.status === 200, `Reading got ${read.status}.`);
  const written = await callApi(environments.test, secret, '/v1/refunds', { charge: 'ch_none' });
  check(written.status === 403, `Writing got ${written.status}.`);
  const message = errorMessage(written);
  check(message.includes('charges:write'), `The scope is not named: ${message}`);
  return 'A key restricted to charges:read may list charges; a refund got 403, which names charges:write';
}

async function tiedKey(setup: Setup): Promise<string> {
  const { paymount, environments } = setup;
  const { id, secret } = await makeKey(setup, 'Demo, of one office', [OFFICE]);
  const { status, body } = await callApi(environments.test, secret, '/v1/charges');
  check(status === 403, `It got ${status}: ${JSON.stringify(body)}`);
  await paymount.keys.update(id, { allowed_ips: [OFFICE, '127.0.0.1'] });
  await eventually('the longer list to hold', REVOCATION_LIMIT_MS, async () => {
    const again = await callApi(environments.test, secret, '/v1/charges');
    return again.status === 200 || undefined;
  });
  return `A key tied to ${OFFICE} got 403 here, and 200 once its list held 127.0.0.1 too`;
}

async function revokedKey(setup: Setup): Promise<string> {
  const { paymount, environments } = setup;
  const { id, secret } = await makeKey(setup, 'Demo, to be revoked');
  const before = await callApi(environments.test, secret, '/v1/charges');
  check(before.status === 200, `The new key got ${before.status}.`);
  const revokedMs = performance.now();
  await paymount.keys.revoke(id, { reason: 'owner' });
  await eventually('the revoked key to be refused', REVOCATION_LIMIT_MS, async () => {
    const { status } = await callApi(environments.test, secret, '/v1/charges');
    return status === 401 || undefined;
  });
  const ms = (performance.now() - revokedMs).toFixed(0);
  return `A revoked key got 401 after ${ms} ms`;
}

function errorMessage({ body }: ApiAnswer): string {
  const { error } = body;
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : '';
}
