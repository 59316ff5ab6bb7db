import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';

const ENDPOINTS = '/v1/webhook_endpoints';
const ADDRESS = 'https://127.0.0.1/hook';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly error?: { readonly code: string } };
}

/**
 * The clock stands still, so what the process holds of a key does not lapse; and the row is changed
 * behind its back. So it stands where a request stands whose key is revoked after it was let in,
 * while it waits for a key service.
 */
describe('an endpoint, for a key that was revoked after the guard accepted it', () => {
  let host: TestApp;
  before(async () => {
    host = await startApp({ paymount: { clock: fakeClock('2026-11-02T12:00:00.000Z') } });
    // It disables what a leaked key has made, a second later.
    await host.worker.close();
  });
  after(() => host.close());

  async function ask(secret: string, method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(host.url + path, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  const stored = () =>
    query(
      host.databaseUrl,
      `SELECT e.id, e.version, e.url, e.status, count(s.id)::int AS secrets
       FROM paymount.webhook_endpoints e JOIN paymount.endpoint_secrets s ON s.endpoint_id = e.id
       GROUP BY e.id ORDER BY e.id`,
    );

  for (const [what, method, path, body] of [
    ['made', 'POST', () => ENDPOINTS, { url: ADDRESS, enabled_events: ['*'] }],
    ['changed', 'POST', (id: string) => `${ENDPOINTS}/${id}`, { url: `${ADDRESS}/elsewhere` }],
    ['deleted', 'DELETE', (id: string) => `${ENDPOINTS}/${id}`, undefined],
    ['rotated', 'POST', (id: string) => `${ENDPOINTS}/${id}/rotate_secret`, {}],
  ] as const) {
    it(`is not ${what}`, async () => {
      const { secret, ...key } = await host.paymount.keys.create({
        account: host.account,
        livemode: false,
        type: 'restricted',
        scopes: ['webhooks:write'],
        name: 'Endpoints',
      });
      const made = await ask(secret, 'POST', ENDPOINTS, { url: ADDRESS, enabled_events: ['*'] });
      expect(made.status).to.equal(200);
      const before = await stored();
      await query(
        host.databaseUrl,
        `UPDATE paymount.api_keys SET version = version + 1, status = 'revoked',
           revoked_at = now(), revoked_reason = 'leak' WHERE id = $1`,
        [key.id],
      );
      const answer = await ask(secret, method, path(String(made.body['id'])), body);
      expect([answer.status, answer.body.error?.code]).to.deep.equal([401, 'api_key_revoked']);
      expect(await stored()).to.deep.equal(before);
    });
  }
});
