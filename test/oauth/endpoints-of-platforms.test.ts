import { expect } from 'chai';
import type { Platform } from 'paymount';
import pg from 'pg';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { toAuditEntry } from '../support/audit-rows.ts';
import { makeKey } from '../support/credentials.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';

const PATH = '/v1/webhook_endpoints';
const OWNER = 'owner@shop.example';
/** How long a process may go by what it knows of a credential. */
const LEASE_MS = 500;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Stored {
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly url_set_by: Record<string, unknown> | null;
}

describe('A webhook endpoint that a platform registered', () => {
  let setup: OAuthSetup;
  let platform: Platform;

  before(async () => {
    setup = await startOAuthSetup();
    await setup.paymount.accounts.update(setup.account, { email: OWNER });
  });
  after(() => setup.close());
  beforeEach(async () => {
    platform = await setup.newPlatform({ scopes: ['charges:read', 'webhooks:write'] });
  });

  const connect = async (of = platform) =>
    setup.connect({ platform: of, scopes: ['charges:read', 'webhooks:write'] });
  const tokenOf = async (of = platform) => String((await connect(of))['access_token']);
  const send = (key: string, method: string, path: string, body?: object): Promise<Reply> =>
    body === undefined
      ? ask(setup.url + PATH + path, { key, method })
      : postJson(setup.url + PATH + path, body, { key });

  async function register(key: string, url = 'https://127.0.0.1:8443/hook'): Promise<string> {
    const made = await send(key, 'POST', '', { url, enabled_events: ['*'] });
    expect(made.status, made.text).to.equal(200);
    return String(made.json['id']);
  }
  const stored = async (id: string): Promise<Stored | undefined> => {
    const [row] = await query<Stored>(
      setup.databaseUrl,
      'SELECT status, disabled_reason, url_set_by FROM paymount.webhook_endpoints WHERE id = $1',
      [id],
    );
    return row;
  };
  const ended = { status: 'disabled', disabled_reason: 'access_ended' };
  const working = { status: 'enabled', disabled_reason: null };
  const disconnect = (of = platform) =>
    ask(`${setup.url}/v1/connected_applications/${of.id}`, {
      key: setup.secretKey,
      method: 'DELETE',
    });
  const mailsTo = (to: string, about: string) =>
    query<{ subject: string; text: string }>(
      setup.databaseUrl,
      `SELECT subject, text FROM paymount.mails WHERE to_address = $1 AND text LIKE '%' || $2 || '%'`,
      [to, about],
    );

  it('gets what the platform triggers, and no endpoint of the merchant does', async () => {
    const trigger = async (key: string) => {
      const body = { type: 'charge.succeeded' };
      const made = await postJson(`${setup.url}/v1/test_helpers/events`, body, { key });
      expect(made.status, made.text).to.equal(200);
      const rows = await query<{ endpoint_id: string }>(
        setup.databaseUrl,
        'SELECT endpoint_id FROM paymount.deliveries WHERE event_id = $1 ORDER BY endpoint_id',
        [made.json['id']],
      );
      return rows.map(({ endpoint_id: id }) => id);
    };
    const merchants = await register(setup.secretKey);
    const token = await tokenOf();
    expect(await trigger(token)).to.deep.equal([]);
    const own = await register(token);
    expect(await trigger(token)).to.deep.equal([own]);
    expect(await trigger(setup.secretKey)).to.include.members([merchants, own]);
    for (const id of [merchants, own]) await send(setup.secretKey, 'DELETE', `/${id}`);
  });

  it('is out of reach for other platforms, and what others registered is for this one (O18)', async () => {
    const token = await tokenOf();
    const own = await register(token);
    const merchants = await register(setup.secretKey);
    const other = await tokenOf(
      await setup.newPlatform({ scopes: ['charges:read', 'webhooks:write'] }),
    );
    const list = await send(token, 'GET', '');
    expect((list.json['data'] as { id: string }[]).map(({ id }) => id)).to.deep.equal([own]);
    for (const [key, id] of [
      [token, merchants],
      [other, own],
    ] as const) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['POST', '', { url: 'https://127.0.0.1:8443/elsewhere' }],
        ['POST', '/rotate_secret', {}],
        ['DELETE', '', undefined],
      ] as const) {
        const { status, error } = await send(key, method, `/${id}${path}`, body);
        expect([status, error['code']]).to.deep.equal([403, 'permission_denied']);
      }
    }
    const renamed = await send(token, 'POST', `/${own}`, { description: 'Ledger' });
    expect(renamed.json['description']).to.equal('Ledger');
    const byMerchant = await send(setup.secretKey, 'POST', `/${own}`, { description: 'A ledger' });
    expect(byMerchant.json['description']).to.equal('A ledger');
  });

  it('is all that its platform sees and drives of deliveries and replays (O18)', async () => {
    const token = await tokenOf();
    const at = (path: string, key = token) => ask(`${setup.url}/v1${path}`, { key });
    const act = (path: string, body: object = {}, key = token) =>
      postJson(`${setup.url}/v1${path}`, body, { key });
    const own = await register(token);
    const merchants = await register(setup.secretKey);
    const made = await act('/test_helpers/events', { type: 'charge.succeeded' }, setup.secretKey);
    expect(made.status, made.text).to.equal(200);
    const event = String(made.json['id']);
    const all = await at(`/deliveries?event=${event}&limit=100`, setup.secretKey);
    const sent = all.json['data'] as { id: string; endpoint: string }[];
    const [toOwn, toMerchant] = [own, merchants].map(
      (endpoint) => sent.find((each) => each.endpoint === endpoint)?.id,
    );
    const mine = async (path: string) =>
      (((await at(path)).json['data'] ?? []) as { id: string }[]).map(({ id }) => id);
    for (const filter of ['', `?event=${event}`, `?endpoint=${own}`, '?type=charge.succeeded']) {
      expect(await mine(`/deliveries${filter}`), filter).to.deep.equal([toOwn]);
    }
    expect(await mine(`/deliveries?endpoint=${merchants}`)).to.deep.equal([]);
    const started = await act('/replays', { endpoint: merchants, dry_run: true }, setup.secretKey);
    const replay = String(started.json['id']);
    const codes = [];
    for (const reply of [
      await at(`/deliveries/${toMerchant}`),
      await act(`/deliveries/${toMerchant}/retry`),
      await act(`/events/${event}/replay`, { endpoint: merchants }),
      await act('/replays', { endpoint: merchants, types: ['charge.succeeded'] }),
      await act('/replays', { endpoint: own, to: merchants, types: ['charge.succeeded'] }),
      await at(`/replays/${replay}`),
      await act(`/replays/${replay}/cancel`),
    ]) {
      codes.push(reply.error['code']);
    }
    expect(codes).to.deep.equal([
      'resource_missing',
      'resource_missing',
      'permission_denied',
      'permission_denied',
      'permission_denied',
      'resource_missing',
      'resource_missing',
    ]);
    expect(await mine('/replays')).to.deep.equal([]);
    const again = await act(`/events/${event}/replay`);
    const deliveries = again.json['data'] as { endpoint: string }[];
    expect(deliveries.map(({ endpoint }) => endpoint)).to.deep.equal([own]);
    const of = await act('/replays', { types: ['charge.succeeded'] });
    expect(await mine('/replays')).to.deep.equal([of.json['id']]);
    const targets = await query<{ endpoint_id: string }>(
      setup.databaseUrl,
      'SELECT endpoint_id FROM paymount.replay_targets WHERE replay_id = $1',
      [String(of.json['id'])],
    );
    expect(targets).to.deep.equal([{ endpoint_id: own }]);
    expect((await at('/deliveries/summary')).status).to.equal(200);
  });

  it('has an entry in the audit log for each change, by the platform', async () => {
    const token = await tokenOf();
    const id = await register(token);
    await send(token, 'POST', `/${id}`, { description: 'Ledger' });
    await send(token, 'POST', `/${id}/rotate_secret`, {});
    await send(token, 'DELETE', `/${id}`);
    const entries = await toAuditEntry(setup.databaseUrl, id);
    expect(
      entries.map((entry) => [entry.action, entry['actor_type'], entry['actor_id']]),
    ).to.deep.equal(
      ['create', 'update', 'rotate_secret', 'delete'].map((what) => [
        `endpoint.${what}`,
        'platform',
        platform.id,
      ]),
    );
  });

  it('ends with the last approval, and merchant and platform get an e-mail (O18)', async () => {
    const [first, second] = [await connect(), await connect()];
    const id = await register(String(first['access_token']));
    const grants = await query<{ id: string }>(
      setup.databaseUrl,
      'SELECT id FROM paymount.grants WHERE platform_id = $1 ORDER BY id',
      [platform.id],
    );
    expect(await stored(id)).to.deep.include({
      ...working,
      url_set_by: { type: 'platform', id: platform.id, grant: grants[0]?.id },
    });
    const client = { client_id: platform.id, client_secret: platform.client_secret ?? '' };
    await setup.post('revoke', { ...client, token: String(first['refresh_token']) });
    expect(await stored(id)).to.include(working);
    expect((await disconnect()).status).to.equal(200);
    expect(await stored(id)).to.include(ended);
    const [mail, ...more] = await mailsTo(OWNER, id);
    expect(more).to.deep.equal([]);
    expect(mail?.subject).to.equal('A test webhook endpoint of Test shop was disabled');
    expect(mail?.text).to.include(
      `An approval of Ledger app for Test shop ended (${grants[1]?.id}).`,
    );
    expect(mail?.text).to.include(`${id}: https://127.0.0.1:8443/hook`);
    const [told, ...others] = await mailsTo(platform.contact_email, String(grants[1]?.id));
    expect(others).to.deep.equal([]);
    expect(told?.subject).to.equal('The test access of Ledger app to Test shop ended');
    const [entry] = await query(
      setup.databaseUrl,
      `SELECT actor_type, actor_id, via, after->>'disabled_reason' AS reason, after->>'ended' AS ended
        FROM paymount.audit_log WHERE target = $1 AND action = 'endpoint.disable'`,
      [id],
    );
    expect(entry).to.deep.equal({
      actor_type: 'system',
      actor_id: 'paymount',
      via: 'worker',
      reason: 'access_ended',
      ended: grants[1]?.id,
    });
    expect(second['access_token']).to.be.a('string');
  });

  it('ends when its platform is disabled or loses the scope, and with the grant of a leaked token (O18)', async () => {
    const disabled = await register(await tokenOf());
    await setup.paymount.platforms.disable(platform.id);
    expect(await stored(disabled)).to.include(ended);
    platform = await setup.newPlatform({ scopes: ['charges:read', 'webhooks:write'] });
    const narrowed = await register(await tokenOf());
    await setup.paymount.platforms.update(platform.id, { scopes: ['charges:read'] });
    expect(await stored(narrowed)).to.include(ended);
    platform = await setup.newPlatform({ scopes: ['charges:read', 'webhooks:write'] });
    const leaked = await tokenOf();
    const [ofLeaked, ofOther] = [await register(leaked), await register(await tokenOf())];
    await setup.paymount.leaks.report([{ credential: leaked, source: 'scan' }]);
    expect(await stored(ofLeaked)).to.include(ended);
    expect(await stored(ofOther)).to.include(working);
  });

  it('gets no more events, and those of before wait until the merchant keeps it', async () => {
    const token = await tokenOf();
    const id = await register(token);
    await disconnect();
    const kept = await send(setup.secretKey, 'POST', `/${id}`, { disabled: false });
    expect(kept.json).to.include({ status: 'enabled', disabled_reason: null });
    expect(kept.json).to.have.property('missed');
    expect((await stored(id))?.url_set_by).to.include({ type: 'key' });
    const again = await tokenOf();
    expect((await send(again, 'POST', `/${id}`, { disabled: true })).status).to.equal(403);
    await disconnect();
    expect(await stored(id)).to.include(working);
  });

  it('can be enabled by its platform after another approval', async () => {
    const id = await register(await tokenOf());
    await disconnect();
    const again = await send(await tokenOf(), 'POST', `/${id}`, { disabled: false });
    expect(again.json['status'], again.text).to.equal('enabled');
    await disconnect();
    expect(await stored(id)).to.include(ended);
  });

  it('goes on if the merchant set its URL, or nobody knows who did', async () => {
    const id = await register(await tokenOf());
    await send(setup.secretKey, 'POST', `/${id}`, { url: 'https://127.0.0.1:8443/own' });
    const unknown = await register(await tokenOf());
    // As a process of an earlier version writes it.
    await query(
      setup.databaseUrl,
      'UPDATE paymount.webhook_endpoints SET created_by = NULL, changed_by = NULL, url_set_by = NULL WHERE id = $1',
      [unknown],
    );
    await disconnect();
    expect(await stored(id)).to.include(working);
    expect(await stored(unknown)).to.include(working);
  });

  it('ends with a revocation by a process of an earlier version, and with one that nobody noted', async () => {
    const revoked = `UPDATE paymount.grants SET status = 'revoked', revoked_at = now(),
      revoked_reason = 'owner' WHERE platform_id = $1`;
    const id = await register(await tokenOf());
    await query(setup.databaseUrl, revoked, [platform.id]);
    const noted = 'SELECT FROM paymount.ended_access JOIN paymount.grants g ON g.id = subject';
    const rows = await query(setup.databaseUrl, `${noted} WHERE platform_id = $1`, [platform.id]);
    expect(rows).to.have.length(1);
    await setup.worker.drain();
    expect(await stored(id)).to.include(ended);
    platform = await setup.newPlatform({ scopes: ['charges:read', 'webhooks:write'] });
    const unnoted = await register(await tokenOf());
    await query(setup.databaseUrl, revoked, [platform.id]);
    await query(setup.databaseUrl, 'DELETE FROM paymount.ended_access');
    await setup.worker.drain();
    expect(await stored(unnoted)).to.include(ended);
  });

  it('counts as that of an unknown person if a process of an earlier version changed its URL', async () => {
    const id = await register(await tokenOf());
    const url =
      "UPDATE paymount.webhook_endpoints SET url = 'https://127.0.0.1:8443/x' WHERE id = $1";
    await query(setup.databaseUrl, url, [id]);
    expect((await stored(id))?.url_set_by).to.equal(null);
    const again = await register(await tokenOf());
    await send(setup.secretKey, 'POST', `/${again}`, { url: 'https://127.0.0.1:8443/own' });
    expect((await stored(again))?.url_set_by).to.have.all.keys('type', 'id');
  });

  it('ends although an approval of before is left whose tokens were deleted long ago', async () => {
    const [used, dead] = [await connect(), await connect()];
    const id = await register(String(used['access_token']));
    const [grant] = await query<{ id: string }>(
      setup.databaseUrl,
      'SELECT id FROM paymount.grants WHERE platform_id = $1 ORDER BY id DESC LIMIT 1',
      [platform.id],
    );
    expect(dead['refresh_token']).to.be.a('string');
    for (const table of ['access_tokens', 'refresh_tokens']) {
      await query(setup.databaseUrl, `DELETE FROM paymount.${table} WHERE grant_id = $1`, [
        grant?.id,
      ]);
    }
    const client = { client_id: platform.id, client_secret: platform.client_secret ?? '' };
    await setup.post('revoke', { ...client, token: String(used['refresh_token']) });
    expect(await stored(id)).to.include(ended);
    await setup.worker.drain();
    const reason = 'SELECT revoked_reason FROM paymount.grants WHERE id = $1';
    expect(await query(setup.databaseUrl, reason, [grant?.id])).to.deep.equal([
      { revoked_reason: 'expired' },
    ]);
  });

  it('delays no revocation while somebody holds its row, and is disabled afterwards', async () => {
    const token = await tokenOf();
    const id = await register(token);
    const holder = new pg.Client({ connectionString: setup.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM paymount.webhook_endpoints WHERE id = $1 FOR UPDATE', [id]);
      const from = performance.now();
      expect((await disconnect()).status).to.equal(200);
      expect(performance.now() - from).to.be.lessThan(1_000);
      // The process may know the token for the length of its lease.
      setup.clock.advance(LEASE_MS + 1);
      expect((await send(token, 'GET', '')).error['code']).to.equal('token_revoked');
      await holder.query('COMMIT');
    } finally {
      await holder.end();
    }
    await setup.worker.drain();
    expect(await stored(id)).to.include(ended);
  });

  it('ends like those of a key that leaked: what the key registered or pointed elsewhere', async () => {
    const leaked = await makeKey(setup.paymount, setup.account, {
      type: 'restricted',
      scopes: ['webhooks:write'],
    });
    const made = await register(leaked.secret);
    const redirected = await register(setup.secretKey);
    await send(leaked.secret, 'POST', `/${redirected}`, { url: 'https://127.0.0.1:8443/theirs' });
    const described = await register(setup.secretKey);
    await send(leaked.secret, 'POST', `/${described}`, { description: 'Mine' });
    await setup.paymount.leaks.report([{ credential: leaked.secret, source: 'scan' }]);
    for (const id of [made, redirected]) expect(await stored(id)).to.include(ended);
    expect(await stored(described)).to.include(working);
    const [mail] = await mailsTo(OWNER, `restricted key leaked and was revoked (${leaked.id})`);
    expect(mail?.subject).to.equal('2 test webhook endpoints of Test shop were disabled');
    const [leak] = await mailsTo(OWNER, `(${leaked.id}, `);
    expect(leak?.text).to.include(described);
    expect(leak?.text).not.to.include(made);
  });

  it('ends although it was disabled before, so that nobody enables it without knowing', async () => {
    const id = await register(await tokenOf());
    await send(setup.secretKey, 'POST', `/${id}`, { disabled: true });
    await disconnect();
    expect(await stored(id)).to.include(ended);
    const [mail] = await mailsTo(OWNER, id);
    expect(mail?.text).to.include('(it was disabled before, for another reason)');
  });

  it('ends in every account, also if one of them fails', async () => {
    const { id: other } = await setup.paymount.accounts.create({
      name: 'Another shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const failing = await register(await tokenOf());
    const scopes = ['charges:read', 'webhooks:write'] as const;
    const { access_token: token } = await setup.connect({ platform, scopes, account: other });
    const working = await register(String(token));
    await query(
      setup.databaseUrl,
      `CREATE FUNCTION paymount.fail() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION ''broken''; END';
        CREATE TRIGGER a_fails BEFORE UPDATE ON paymount.webhook_endpoints FOR EACH ROW
          WHEN (OLD.id = '${failing}') EXECUTE FUNCTION paymount.fail()`,
    );
    try {
      await setup.paymount.platforms.disable(platform.id);
      // The worker may be at it already, and has the row locked.
      const isEnded = (found: Awaited<ReturnType<typeof stored>>) => found?.status === 'disabled';
      expect(await eventually(() => stored(working), isEnded)).to.include(ended);
      expect(await stored(failing)).to.include({ status: 'enabled' });
    } finally {
      await query(setup.databaseUrl, 'DROP FUNCTION paymount.fail CASCADE');
    }
    await setup.worker.drain();
    expect(await stored(failing)).to.include(ended);
  });

  it('ends with an approval that nobody can use any more: 90 days after the last refresh', async () => {
    const [idle, used] = [await connect(), await connect()];
    const id = await register(String(idle['access_token']));
    setup.clock.advance(89 * DAY_MS);
    const client = { client_id: platform.id, client_secret: platform.client_secret ?? '' };
    const refreshed = await setup.post('token', {
      ...client,
      grant_type: 'refresh_token',
      refresh_token: String(used['refresh_token']),
    });
    expect(refreshed.status, refreshed.text).to.equal(200);
    setup.clock.advance(DAY_MS + 2 * MINUTE_MS);
    await setup.worker.drain();
    const reasons = async () =>
      query(
        setup.databaseUrl,
        'SELECT status, revoked_reason FROM paymount.grants WHERE platform_id = $1 ORDER BY id',
        [platform.id],
      );
    const expired = { status: 'revoked', revoked_reason: 'expired' };
    expect(await reasons()).to.deep.equal([expired, { status: 'active', revoked_reason: null }]);
    const [grant] = await query<{ id: string }>(
      setup.databaseUrl,
      'SELECT id FROM paymount.grants WHERE platform_id = $1 ORDER BY id',
      [platform.id],
    );
    const [mail] = await mailsTo(platform.contact_email, String(grant?.id));
    expect(mail?.text).to.include('An approval of Ledger app for Test shop has expired');
    expect(await stored(id)).to.include(working);
    setup.clock.advance(90 * DAY_MS);
    await setup.worker.drain();
    expect(await reasons()).to.deep.equal([expired, expired]);
    expect(await stored(id)).to.include(ended);
  });
});
