import { expect } from 'chai';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { startHost } from '../support/host.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';

const CLAIMED = 'held-by-another';
const BOUND_MS = 500;
/** One way. */
const FAR_MS = 400;

interface Asked {
  readonly status: number;
  readonly body: { readonly id?: string; readonly error?: { readonly code: string } };
}

describe('money that waits for a lock while its key is revoked', () => {
  let host: TestApp;
  let other: pg.Client;

  before(async () => {
    host = await startApp();
    other = new pg.Client({ connectionString: host.databaseUrl });
    await other.connect();
  });
  after(async () => {
    await other.end();
    await host.close();
  });

  async function post(secret: string, path: string, body: object, claim?: string): Promise<Asked> {
    const response = await fetch(`${host.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        ...(claim === undefined ? {} : { 'idempotency-key': claim }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Asked['body'] };
  }

  async function count(sql: string): Promise<number> {
    const { rows } = await other.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`);
    return rows[0]?.n ?? 0;
  }

  /** Held by a transaction that does not end, so that whoever claims the same waits for it. */
  async function holdClaim(): Promise<void> {
    await other.query('BEGIN');
    await other.query(
      `INSERT INTO paymount.idempotency_keys
         (account_id, livemode, key, fingerprint, request_id, created, status, body)
       VALUES ($1, false, $2, 'f', 'r', now(), 200, '{}')`,
      [host.account, CLAIMED],
    );
  }

  for (const [what, target] of [
    ['a charge, in a statement of its own', (): string => '/v1/charges'],
    ['a capture, in a transaction', (id: string): string => `/v1/charges/${id}/capture`],
  ] as const) {
    it(`is not moved later than 500 ms after the revocation: ${what}`, async () => {
      const { secret, ...key } = await host.paymount.keys.create({
        account: host.account,
        livemode: false,
        type: 'secret',
        name: 'Server',
      });
      const card = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
      const made = await post(secret, '/v1/charges', { ...card, capture: false });
      const path = target(made.body.id ?? '');
      const body = path === '/v1/charges' ? card : {};
      const operations = await count('paymount.operations');
      await holdClaim();
      const answer = post(secret, path, body, CLAIMED);
      await eventually(async () => (await count(WAITING)) === 1);
      await host.paymount.keys.revoke(key.id, { reason: 'leak' });
      const revokedMs = performance.now();
      const { status, body: refusal } = await answer;
      expect(performance.now() - revokedMs).to.be.below(BOUND_MS);
      expect([status, refusal.error?.code]).to.deep.equal([429, 'lock_timeout']);
      await other.query('ROLLBACK');
      expect(await count('paymount.operations')).to.equal(operations);
      expect(await count(`paymount.idempotency_keys WHERE key = '${CLAIMED}'`)).to.equal(0);
      const again = await post(secret, path, body, CLAIMED);
      expect([again.status, again.body.error?.code]).to.deep.equal([401, 'api_key_revoked']);
      expect(await count('paymount.operations')).to.equal(operations);
    });
  }

  it('is not moved by a COMMIT that the network holds back until after the revocation', async () => {
    const proxy = await openTcpProxy(host.databaseUrl);
    const far = await startHost({ ...host, databaseUrl: proxy.url });
    try {
      const { secret, ...key } = await host.paymount.keys.create({
        account: host.account,
        livemode: false,
        type: 'secret',
        name: 'Far',
      });
      const card = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
      const made = await post(secret, '/v1/charges', { ...card, capture: false });
      const operations = await count('paymount.operations');
      proxy.onUpstream = (bytes) => {
        // The answer takes so long, and then the COMMIT.
        if (bytes.includes('pm_changes_apply_d')) proxy.delayMs = FAR_MS;
      };
      const url = `${far.url}/v1/charges/${made.body.id}/capture`;
      const answer = ask(url, { method: 'POST', key: secret });
      // The server has judged the key, and waits for the COMMIT.
      await eventually(async () => (await count(JUDGED)) === 1);
      await host.paymount.keys.revoke(key.id, { reason: 'leak' });
      const { status, error } = await answer;
      expect([status, error['code']]).to.deep.equal([429, 'lock_timeout']);
      expect(await count('paymount.operations')).to.equal(operations);
    } finally {
      proxy.delayMs = 0;
      await far.close();
      await proxy.close();
    }
  });
});

const WAITING = `pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const JUDGED = `pg_stat_activity
  WHERE datname = current_database() AND state = 'idle in transaction'
    AND query LIKE '%paymount.commit_by%'`;
