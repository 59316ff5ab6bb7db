import { createHash } from 'node:crypto';
import type { AccountId } from '@paymount/core/kernel';
import { expect } from 'chai';
import pg from 'pg';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';

const HOUR = 3_600_000;
const WEEK_SECONDS = 604_800;

interface Rotated {
  readonly data: readonly { readonly id: string; readonly secret: string }[];
  readonly skipped: readonly { readonly endpoint: string; readonly reason: string }[];
}

describe('a report of an admin', () => {
  let app: AdminApp;

  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  it('matches nothing, and changes nothing, when the credential is outside the admin scope', async () => {
    const [mine, other] = [await app.newAccount(), await app.newAccount()];
    const token = (): Promise<string> =>
      app.token(['admin'], { accounts: [mine], environments: ['test'] });
    const report = async (accountId: AccountId, environment: 'live' | 'test') => {
      const made = {
        account: accountId,
        livemode: environment === 'live',
        type: 'secret',
        name: 'x',
      } as const;
      const { secret, ...key } = await app.paymount.keys.create(made);
      const body = { credential: secret, source: 'gitlab' };
      const { json: verdict } = await app.admin('/leaks', { token: await token(), body });
      const { json } = await app.admin(`/keys/${key.id}`);
      return [verdict['matched'], verdict['action'], json['status']];
    };
    expect(await report(other, 'live')).to.deep.equal([false, 'none', 'active']);
    expect(await report(other, 'test')).to.deep.equal([false, 'none', 'active']);
    expect(await report(mine, 'live')).to.deep.equal([false, 'none', 'active']);
    expect(await report(mine, 'test')).to.deep.equal([true, 'revoked', 'revoked']);
  });
});

describe('the signing secrets that may have leaked together', () => {
  let app: AdminApp;
  let database: pg.Client;

  before(async () => {
    app = await startAdminApp();
    database = new pg.Client({ connectionString: app.databaseUrl });
    await database.connect();
  });
  after(async () => {
    await database.end();
    await app.close();
  });

  /** An account with endpoints, and a leak an hour later. */
  async function setUp(count: number): Promise<{ account: AccountId; endpoints: string[] }> {
    const account = await app.newAccount();
    const owner = { account, environment: 'test' } as const;
    const endpoints: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const input = { url: `https://example.com/${index}`, enabled_events: ['*' as const] };
      endpoints.push((await app.paymount.webhookEndpoints.create(owner, input)).id);
    }
    return { account, endpoints };
  }

  async function leak(account: AccountId): Promise<string> {
    app.clock.advance(HOUR);
    const made = { account, livemode: false, type: 'secret' } as const;
    const { secret } = await app.paymount.keys.create({ ...made, name: 'x' });
    await app.admin('/leaks', { body: { credential: secret, source: 'gitlab' } });
    const { json } = await app.admin(`/leaks?account=${account}`);
    return (json['data'] as { id: string }[])[0]?.id ?? '';
  }

  const rotate = (id: string, key: string): Promise<Reply> =>
    app.admin(`/leaks/${id}/rotate_signing_secrets`, {
      body: {},
      headers: { 'idempotency-key': key },
    });

  const toRotated = ({ json }: Reply): Rotated => json as unknown as Rotated;

  /** Hashes of the secrets that sign without an end. */
  async function signing(account: AccountId): Promise<readonly string[]> {
    const { rows } = await database.query<{ hash: Buffer }>(
      `SELECT hash FROM paymount.endpoint_secrets
       WHERE account_id = $1 AND expires_at IS NULL ORDER BY endpoint_id`,
      [account],
    );
    return rows.map(({ hash }) => hash.toString('hex'));
  }

  const hashesOf = ({ data }: Rotated): readonly string[] =>
    data.map(({ secret }) => createHash('sha256').update(secret).digest('hex'));

  it('are rotated once by two requests with one key, and both are shown them', async () => {
    const { account } = await setUp(3);
    const id = await leak(account);
    await Promise.all([rotate(id, 'together'), rotate(id, 'together')]);
    const shown = await rotate(id, 'together');
    expect(shown.status).to.equal(200);
    expect([...hashesOf(toRotated(shown))].sort()).to.deep.equal(
      [...(await signing(account))].sort(),
    );
    const { rows } = await database.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM paymount.endpoint_secrets WHERE account_id = $1',
      [account],
    );
    expect(rows[0]?.count).to.equal(6);
  });

  it('are rotated once by requests with different keys, and one is shown them', async () => {
    const { account } = await setUp(2);
    const id = await leak(account);
    const replies = await Promise.all(['one', 'two', 'three'].map((key) => rotate(id, key)));
    const shown = replies.flatMap((reply) => hashesOf(toRotated(reply)));
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect([...shown].sort()).to.deep.equal([...(await signing(account))].sort());
  });

  it('are not rotated again by a request that found them before another one rotated them', async () => {
    const { account } = await setUp(2);
    const id = await leak(account);
    const { endpointSecrets } = partsOf(app.paymount).stores.directory;
    const find = endpointSecrets.endpointsOlderThan;
    let first: Reply | undefined;
    endpointSecrets.endpointsOlderThan = async (...asked) => {
      endpointSecrets.endpointsOlderThan = find;
      const found = await find(...asked);
      first = await rotate(id, 'first');
      return found;
    };
    const second = await rotate(id, 'second');
    expect([first?.status, second.status]).to.deep.equal([200, 200]);
    expect(toRotated(second).data).to.deep.equal([]);
    expect([...hashesOf(toRotated(first as Reply))].sort()).to.deep.equal(
      [...(await signing(account))].sort(),
    );
  });

  it('are left where as many sign as may, and the others are rotated', async () => {
    const { account, endpoints } = await setUp(3);
    const full = endpoints[1] ?? '';
    for (let times = 0; times < 2; times += 1) {
      const body = { overlap_seconds: WEEK_SECONDS };
      const { status } = await app.admin(`/endpoints/${full}/rotate_secret`, { body });
      expect(status).to.equal(200);
    }
    const id = await leak(account);
    const reply = await rotate(id, 'limit');
    expect(reply.status).to.equal(200);
    const { data, skipped } = toRotated(reply);
    expect(data.map((endpoint) => endpoint.id)).to.deep.equal([endpoints[0], endpoints[2]]);
    expect(skipped).to.deep.equal([{ endpoint: full, reason: 'secret_rotation_limit' }]);
    expect(toRotated(await rotate(id, 'limit'))).to.deep.equal(toRotated(reply));
    const { json } = await app.admin(`/leaks/${id}`);
    expect(json['endpoints_to_rotate']).to.deep.equal([full]);
  });
});
