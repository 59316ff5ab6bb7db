import { callApi } from './api-client.ts';
import { eventually } from './eventually.ts';
import type { Setup } from './setup.ts';
import { check, type Step } from './step.ts';
import { WebBrowser } from './web-browser.ts';

/** The specification's limit for a revocation to take effect everywhere. */
const REVOCATION_LIMIT_MS = 1_000;

/** A platform that a merchant connects and disconnects. */
export const connectSteps: readonly Step[] = [
  { tries: 'a platform that a merchant connects', run: connect },
  { tries: 'a platform whose access a merchant ends', run: disconnect },
];

async function connect({ platformUrl, oauth, merchant }: Setup): Promise<string> {
  const browser = new WebBrowser();
  const login = await browser.open(`${platformUrl}/connect`);
  const consent = await browser.submit(login, oauth.loginAs);
  check(consent.text.includes('Example bookkeeping'), `It got ${consent.status}.`);
  const scope = ['charges:read', 'payouts:read'];
  const connected = await browser.submit(consent, { scope, decision: 'approve' });
  check(connected.text.includes(merchant.account), `It got ${connected.text}`);
  const charges = await browser.open(`${platformUrl}/merchants/${merchant.account}/charges`);
  check(charges.status === 200, `Reading charges got ${charges.status}.`);
  return 'A merchant logged in and connected a bookkeeping program, which read the charges; the permission to charge was not given';
}

async function disconnect(setup: Setup): Promise<string> {
  const { platformUrl, oauth, merchant, environments } = setup;
  const { test } = environments;
  const path = '/v1/connected_applications';
  const listed = await callApi(test, test.secretKey, path);
  const { clientId } = oauth;
  check(JSON.stringify(listed.body).includes(clientId), `It lists ${JSON.stringify(listed.body)}.`);
  const basic = Buffer.from(`${test.secretKey}:`).toString('base64');
  const ended = await fetch(`${test.baseUrl}${path}/${clientId}`, {
    method: 'DELETE',
    headers: { authorization: `Basic ${basic}` },
  });
  check(ended.status === 200, `It got ${ended.status}.`);
  const started = Date.now();
  await eventually('the platform to be refused', REVOCATION_LIMIT_MS, async () => {
    const { status } = await fetch(`${platformUrl}/merchants/${merchant.account}/charges`);
    return status === 200 ? undefined : status;
  });
  return `The merchant ended the access; the program was refused ${Date.now() - started} ms later`;
}
