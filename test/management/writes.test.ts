import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type AccountSetup,
  type AccountSetups,
  openAccountSetups,
} from '../support/account-setup.ts';
import { type AdminApp, type AdminAsk, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { postForm, type Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { disputeOfCharge } from '../support/disputed-charge.ts';
import { eventually } from '../support/eventually.ts';
import { type Document, fault, findContent } from '../support/openapi-document.ts';
import { lateOperation } from '../support/reviewed-operations.ts';
import { routeNamed } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';
import { documentOf } from './management-document.ts';

type Entry = Readonly<Record<string, unknown>> & { readonly action: string };

/** Sent in tests of their own, such as `adjustments.test.ts` and `billing.test.ts`. */
const SENT_ELSEWHERE =
  /\/(?:payout_settings|bank_accounts|adjustments|settlement_differences|test_clocks|subscriptions|invoices)\b/;

describe('The routes of the management API', () => {
  let app: AdminApp;
  let setups: AccountSetups;
  let setup: AccountSetup;
  let document: Document;
  const succeeded = new Set<string>();

  before(async () => {
    app = await startAdminApp();
    setups = await openAccountSetups(app);
    setup = await setups.setup(app.account);
    document = await documentOf(app.url);
  });
  after(async () => {
    await setups.receiver.close();
    await app.close();
  });

  /** Sends a request that succeeds, and holds its answer against the document. */
  async function send(
    method: string,
    pattern: string,
    more: AdminAsk & { readonly id?: string | undefined } = {},
  ): Promise<Reply> {
    const { id = '', ...asked } = more;
    const reply = await app.admin(pattern.replace('{id}', id), {
      method,
      headers: { 'user-agent': 'console/1' },
      ...asked,
    });
    const what = `${method} ${pattern}: ${reply.text}`;
    expect(reply.status, what).to.equal(200);
    const content = findContent(document.paths[pattern]?.[method.toLowerCase()], 200, document);
    const schema = content?.['application/json']?.schema;
    if (schema !== undefined) expect(fault(reply.json, schema, document), what).to.equal(undefined);
    else expect(Object.keys(content ?? {})[0]).to.be.oneOf(['application/x-ndjson', 'text/plain']);
    succeeded.add(`${method} ${pattern}`);
    return reply;
  }

  async function listEntries({ headers }: Reply): Promise<readonly Entry[]> {
    const { json } = await app.admin('/audit?limit=100');
    const entries = json['data'] as Entry[];
    return entries.filter((entry) => entry['request_id'] === headers['request-id']);
  }

  /** A write, which is sent a second time under its `Idempotency-Key`. */
  async function write(
    pattern: string,
    body: object,
    id?: string,
    method = 'POST',
  ): Promise<Reply> {
    const headers = { 'idempotency-key': randomUUID(), 'user-agent': 'console/1' };
    const asked = method === 'POST' ? { body } : {};
    const reply = await send(method, pattern, { ...asked, id, headers });
    const entries = await listEntries(reply);
    const what = `${method} ${pattern}`;
    const { audits } = routeNamed(MANAGEMENT_ROUTES, what);
    expect(entries.map(({ action }) => action).sort(), what).to.deep.equal(audits);
    for (const entry of entries) {
      expect(entry, what).to.deep.include({
        actor: { type: 'admin', id: 'ada@shop.test' },
        via: 'jwt',
        ip: '127.0.0.1',
        user_agent: 'console/1',
      });
      const secret = /sk_(test|live)_\w{20}|ocs_\w{20}|whsec_/;
      expect(JSON.stringify([entry['before'], entry['after']]), what).not.to.match(secret);
    }
    if (what === 'POST /audit/verify') return reply;
    const again = await send(method, pattern, { ...asked, id, headers });
    expect(again.headers['idempotent-replayed'], what).to.equal('true');
    expect(again.text, what).to.equal(reply.text);
    expect(await listEntries(again), what).to.deep.equal([]);
    return reply;
  }

  const idIn = ({ json }: Reply): string => String(json['id']);

  it('change accounts', async () => {
    const body = { name: 'Made', country: 'DE', default_currency: 'eur', email: 'a@shop.test' };
    const id = idIn(await write('/accounts', body));
    const { json } = await write('/accounts/{id}', { name: 'Changed', email: '' }, id);
    expect(json).to.include({ name: 'Changed', email: null, country: 'DE', status: 'active' });
    expect((await write('/accounts/{id}/suspend', {}, id)).json).to.include({
      status: 'suspended',
    });
    expect((await write('/accounts/{id}/resume', {}, id)).json).to.include({
      status: 'active',
      suspended_at: null,
    });
  });

  it('change how the subscriptions of an account are billed', async () => {
    const path = '/accounts/{id}/billing_settings';
    const { json } = await write(path, { after_last_attempt: 'leave_unpaid' }, app.account);
    expect(json).to.include({ after_last_attempt: 'leave_unpaid', charges_per_second: 20 });
    expect((await send('GET', path, { id: app.account })).json).to.deep.equal(json);
  });

  it('make keys that work, change and rotate them, and revoke them', async () => {
    const made = await write('/keys', {
      account: app.account,
      livemode: false,
      type: 'restricted',
      name: 'reporting',
      scopes: ['charges:read'],
      allowed_ips: ['127.0.0.1', '10.0.0.0/8'],
    });
    /** How a key is answered once every process has heard of the change, within a second. */
    const becomes = async (key: unknown, expected: string): Promise<void> => {
      const answer = async (): Promise<string> => {
        const { status, error } = await postForm(`${app.url}/v1/charges`, '', { key: String(key) });
        return `${status} ${String(error['code'])}`;
      };
      await eventually(answer, (found) => found === expected, 1_000);
    };
    expect(made.json).to.deep.include({
      scopes: ['charges:read'],
      allowed_ips: ['127.0.0.1/32', '10.0.0.0/8'],
      created_by: 'ada@shop.test',
    });
    await becomes(made.json['secret'], '403 insufficient_scope');
    const changed = await write('/keys/{id}', { scopes: ['charges:write'] }, idIn(made));
    expect(changed.json).not.to.have.property('secret');
    await becomes(made.json['secret'], '400 parameter_missing');
    const next = await write('/keys/{id}/rotate', { overlap_seconds: 0 }, idIn(made));
    expect(next.json).to.deep.include({ replaces: idIn(made), scopes: ['charges:write'] });
    await becomes(made.json['secret'], '401 api_key_expired');
    await becomes(next.json['secret'], '400 parameter_missing');
    const revoked = await write('/keys/{id}/revoke', {}, idIn(next));
    expect(revoked.json).to.include({ status: 'revoked', revoked_reason: 'admin' });
    await becomes(next.json['secret'], '401 api_key_revoked');
  });

  it('register endpoints, change them, rotate their secrets, and delete them', async () => {
    const body = { url: `${setups.receiver.url}/new?token=x`, enabled_events: ['charge.*'] };
    const made = await write('/endpoints', { account: app.account, livemode: false, ...body });
    expect(made.json).to.include({ account: app.account, livemode: false });
    expect(made.json['secret']).to.match(/^whsec_/);
    const changed = await write('/endpoints/{id}', { disabled: true }, idIn(made));
    expect(changed.json).to.include({ status: 'disabled', disabled_reason: 'manual' });
    const rotated = await write('/endpoints/{id}/rotate_secret', {}, idIn(made));
    expect(rotated.json['secret'])
      .to.match(/^whsec_/)
      .and.not.equal(made.json['secret']);
    const { json } = await app.admin(`/audit?target=${idIn(made)}&action=endpoint.update`);
    const [entry] = json['data'] as Entry[];
    // The query of an address may hold a secret of the merchant's.
    expect(entry?.['before']).to.include({ url: `${setups.receiver.url}/new`, status: 'enabled' });
    expect(entry?.['after']).to.include({ status: 'disabled' });
    await write('/endpoints/{id}', {}, idIn(made), 'DELETE');
    expect((await app.admin(`/endpoints/${idIn(made)}`)).status).to.equal(404);
  });

  it('retry deliveries that wait', async () => {
    setups.receiver.otherwise(500);
    const before = setups.receiver.requests.length;
    await postForm(`${app.url}/v1/charges`, 'amount=500&currency=eur&source=tok_visa', {
      key: setup.secret,
    });
    await setups.receiver.waitFor(before + 1);
    await app.worker.drain();
    setups.receiver.otherwise(200);
    const { json } = await send('GET', '/deliveries', { id: '' });
    const [delivery] = json['data'] as { id: string; status: string; attempt: number }[];
    expect(delivery).to.include({ status: 'pending', attempt: 2 });
    const retried = await write('/deliveries/{id}/retry', {}, delivery?.id);
    expect(retried.json).to.include({ status: 'pending', attempt: 2 });
    await setups.receiver.waitFor(before + 2);
    await app.worker.drain();
    const done = await send('GET', '/deliveries/{id}', { id: delivery?.id });
    expect(done.json).to.include({ status: 'succeeded', attempt: 2, last_status: 200 });
    const attempts = done.json['attempts'] as { attempt: number; response_status: number }[];
    expect(attempts.map((each) => [each.attempt, each.response_status])).to.deep.equal([
      [2, 200],
      [1, 500],
    ]);
    const again = await app.admin(`/deliveries/${delivery?.id}/retry`, { body: {} });
    expect([again.status, again.error['code']]).to.deep.equal([409, 'delivery_not_pending']);
  });

  it('replay events', async () => {
    const before = setups.receiver.requests.length;
    const { events: event = '', endpoints: endpoint } = setup.ids;
    const { json } = await write('/events/{id}/replay', {}, event);
    const [made, ...more] = json['data'] as Record<string, unknown>[];
    expect(more).to.deep.equal([]);
    expect(made).to.include({ account: app.account, event, endpoint, origin: 'replay' });
    await setups.receiver.waitFor(before + 1);
    await app.worker.drain();
    const [entry] = (await app.admin(`/audit?target=${event}`)).json['data'] as Entry[];
    expect([entry?.action, entry?.['before']]).to.deep.equal(['event.replay', null]);
    expect(entry?.['after']).to.deep.equal({ deliveries: [{ id: made?.['id'], endpoint }] });
    const done = await send('GET', '/deliveries/{id}', { id: String(made?.['id']) });
    expect(done.json).to.include({ status: 'succeeded', origin: 'replay', attempt: 1 });
  });

  it('replay many events, and cancel that', async () => {
    const { endpoints: to } = setup.ids;
    const filter = { types: ['charge.succeeded'], states: ['succeeded', 'failed'] };
    // States are known of the last 30 days.
    const gte = new Date(Date.now() - 86_400_000).toISOString();
    const sent = { account: app.account, livemode: false, to, ...filter, created: { gte } };
    const made = await write('/replays', { ...sent, rate: 1, dry_run: true });
    expect(made.json).to.deep.include({
      object: 'replay',
      account: app.account,
      livemode: false,
      status: 'pending',
      to,
      endpoint: null,
      rate: 1,
      dry_run: true,
      matched: 0,
      created_count: 0,
      ...filter,
      created_filter: { gt: null, gte, lt: null, lte: null },
      finished_at: null,
    });
    const canceled = await write('/replays/{id}/cancel', {}, setup.ids['replays']);
    expect(canceled.json).to.include({ id: setup.ids['replays'], status: 'canceled' });
    const again = await app.admin(`/replays/${setup.ids['replays']}/cancel`, { body: {} });
    expect([again.status, again.error['code']]).to.deep.equal([409, 'replay_finished']);
  });

  it('settle what the bank contradicted, and dismiss what it said late', async () => {
    const { operations: contradicted } = setup.ids;
    const settled = await write(
      '/operations/{id}/settle',
      { as: 'declined', reason: 'The bank has no such payment.' },
      contradicted,
    );
    expect(settled.json).to.include({ id: contradicted, state: 'done', review: null });
    const late = await lateOperation(app, app.acting);
    const seen = await send('GET', '/operations/{id}', { id: late });
    expect(seen.json['review']).to.include({ cause: 'late_answer' });
    const dismissed = await write(
      '/operations/{id}/dismiss',
      { reason: 'The bank paid the second payment back.' },
      late,
    );
    expect(dismissed.json).to.include({ id: late, state: 'done', review: null });
  });

  it('apply a notice again, and dismiss it', async () => {
    const { notices: id } = setup.ids;
    const retried = await write('/notices/{id}/retry', {}, id);
    expect(retried.json).to.include({ id, state: 'quarantined', kind: 'charge.failed' });
    const dismissed = await write(
      '/notices/{id}/dismiss',
      { reason: 'The bank took it back.' },
      id,
    );
    expect(dismissed.json).to.include({
      id,
      state: 'ignored',
      reason: 'The bank took it back.',
      review_since: null,
    });
    const again = await app.admin(`/notices/${id}/retry`, { body: {} });
    expect([again.status, again.json['state']]).to.deep.equal([200, 'quarantined']);
  });

  it('record how an issuer ruled', async () => {
    const sale = 'amount=100&currency=eur&source=tok_visa';
    const charge = await postForm(`${app.url}/v1/charges`, sale, { key: setup.secret });
    const dispute = await disputeOfCharge(app, app.acting, idIn(charge));
    const rule = { outcome: 'lost', reason: 'The processor wrote so.' };
    const ruled = await write('/disputes/{id}/rule', rule, dispute);
    expect(ruled.json).to.include({
      id: dispute,
      status: 'lost',
      closed_reason: 'ruling',
      round: 1,
    });
  });

  it('take reports of leaks, set them aside, and rotate what may have leaked with them', async () => {
    const account = await app.newAccount();
    const { secret } = await app.paymount.keys.create({
      account,
      livemode: false,
      type: 'secret',
      name: 'leaky',
    });
    const endpoint = await app.paymount.webhookEndpoints.create(
      { account, environment: 'test' },
      { url: setups.receiver.url, enabled_events: ['*'] },
    );
    const report = { credential: secret, source: 'our scanner', url: 'https://gist.test/2' };
    const verdict = await write('/leaks', report);
    expect(verdict.json).to.deep.include({ matched: true, action: 'revoked' });
    const { json } = await app.admin(`/leaks?account=${account}`);
    const [leak] = json['data'] as { id: string }[];
    const seen = await send('GET', '/leaks/{id}', { id: leak?.id });
    expect(seen.json['endpoints_to_rotate']).to.deep.equal([endpoint.id]);
    const rotated = await write('/leaks/{id}/rotate_signing_secrets', {}, leak?.id);
    const [shown] = rotated.json['data'] as { id: string; secret: string }[];
    expect(shown).to.include({ id: endpoint.id });
    expect(shown?.secret)
      .to.match(/^whsec_/)
      .and.not.equal(endpoint.secret);
    const after = await send('GET', '/leaks/{id}', { id: leak?.id });
    expect(after.json['endpoints_to_rotate']).to.deep.equal([]);
    expect((await write('/leaks/{id}/dismiss', {}, leak?.id)).json).to.include({
      status: 'dismissed',
    });
    const unknown = await app.admin('/leaks', { body: { credential: 'junk', source: 'a' } });
    expect(unknown.json).to.include({ matched: false, action: 'none' });
  });

  it('create platforms, change them, and replace their client secrets', async () => {
    const made = await write('/platforms', {
      livemode: false,
      name: 'Ledger app',
      redirect_uris: ['https://ledger.example.com/callback'],
      scopes: ['charges:read', 'payouts:read'],
      contact_email: 'ops@ledger.example.com',
    });
    const id = idIn(made);
    const [first] = made.json['client_secrets'] as { id: string }[];
    const renamed = await write('/platforms/{id}', { name: 'Books app' }, id);
    expect(renamed.json).to.include({ name: 'Books app', status: 'active' });
    const second = await write('/platforms/{id}/create_secret', {}, id);
    expect(second.json['client_secrets']).to.have.lengthOf(2);
    const revoke = { client_secret: first?.id, reason: 'rotation' };
    const left = await write('/platforms/{id}/revoke_secret', revoke, id);
    expect(left.json['client_secrets']).to.have.lengthOf(1);
    const disabled = await write('/platforms/{id}/disable', {}, id);
    expect(disabled.json['status']).to.equal('disabled');
    const enabled = await write('/platforms/{id}/enable', {}, id);
    expect(enabled.json).to.include({ status: 'active', disabled_at: null });
  });

  it('show grants, and revoke one', async () => {
    const id = setup.ids['grants'];
    const platform = setup.ids['platforms'] ?? '';
    const { json } = await send('GET', '/grants/{id}', { id });
    expect(json).to.deep.equal({
      id,
      object: 'grant',
      account: app.account,
      livemode: false,
      platform,
      scopes: ['charges:read'],
      status: 'active',
      approved_by: 'user-1',
      revoked_at: null,
      revoked_reason: null,
      last_used_at: null,
      created: json['created'],
    });
    const asked = `account=${app.account}&status=active&platform=`;
    const listed = async (of: string) =>
      ((await app.admin(`/grants?${asked}${of}`)).json['data'] as { id: string }[]).map(
        (grant) => grant.id,
      );
    expect(await listed(platform)).to.deep.equal([id]);
    expect(await listed(`ca_${'0'.repeat(26)}`)).to.deep.equal([]);
    const revoked = await write('/grants/{id}/revoke', {}, id);
    expect(revoked.json).to.include({ status: 'revoked', revoked_reason: 'admin' });
    expect(await listed(platform)).to.deep.equal([]);
  });

  it('verify the audit log, also against heads that were kept', async () => {
    const { json } = await write('/audit/verify', {});
    expect(json).to.deep.include({ object: 'audit_verdict', faults: [] });
    const { heads } = json as { heads: { account: string | null; seq: number; hash: string }[] };
    expect((await write('/audit/verify', { heads })).json['faults']).to.deep.equal([]);
    const [head] = heads.filter(({ account }) => account === app.account);
    const forged = { ...head, hash: '0'.repeat(64) };
    const { faults } = (await write('/audit/verify', { heads: [forged] })).json as {
      faults: object[];
    };
    expect(faults).to.deep.equal([{ account: app.account, seq: head?.seq, found: 'changed' }]);
    const both = await write('/audit/verify', { heads: [head, forged] });
    expect(both.json['faults']).to.deep.equal([
      {
        account: app.account,
        seq: head?.seq,
        found: 'contradicted',
        kept: [head?.hash, forged.hash],
      },
    ]);
  });

  it('export the audit log whole, however many batches it takes', async () => {
    const account = await app.newAccount('Exported');
    // Copies of the first entry, as if the account had been changed 510 times.
    await query(
      app.databaseUrl,
      `INSERT INTO paymount.audit_log
        SELECT (jsonb_populate_record(a, jsonb_build_object('id', a.id || n, 'seq', n))).*
        FROM paymount.audit_log a, generate_series(2, 511) n WHERE a.chain = $1`,
      [account],
    );
    const headers = { authorization: `Bearer ${await app.token(['security'])}` };
    const url = `${app.url}${MOUNT}/audit/export?account=${account}`;
    const answer = await fetch(url, { headers });
    expect(answer.headers.get('content-type')).to.equal('application/x-ndjson; charset=utf-8');
    const lines = (await answer.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).seq)).to.deep.equal(
      Array.from({ length: 511 }, (_, index) => index + 1),
    );
    const head = await fetch(url, { method: 'HEAD', headers });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
    // Whoever goes away half-way leaves nothing behind that fails.
    const leaving = new AbortController();
    const begun = await fetch(url, { headers, signal: leaving.signal });
    leaving.abort();
    await begun.text().catch(() => undefined);
    expect((await app.admin('/me')).status).to.equal(200);
  });

  it('make expunge requests', async () => {
    const body = { account: app.account, livemode: false, created: { lt: 1 }, reason: 'Ticket 1' };
    expect((await write('/expunge_requests', body)).json).to.include({ status: 'pending' });
  });

  it('show lists and single objects', async () => {
    const listed = Object.entries(setup.ids).filter(([kind]) =>
      MANAGEMENT_ROUTES.some(({ name }) => name === `GET /${kind}`),
    );
    expect(listed).to.have.property('length').greaterThan(12);
    for (const [kind, id] of listed) {
      const { json } = await send('GET', `/${kind}`);
      expect(json['object']).to.equal('list');
      await send('GET', `/${kind}/{id}`, { id });
    }
    for (const pattern of ['/keys/{id}/usage', '/keys/{id}/ip_suggestions']) {
      await send('GET', pattern, { id: setup.ids['keys'] });
    }
    await send('GET', '/deliveries/summary');
    await send('GET', '/audit/export');
    await send('GET', '/me');
    await send('GET', '/metrics');
    const health = await send('GET', '/health');
    expect(health.json).to.include({ status: 'ok', queue: 'absent', sealing_key: 'test' });
  });

  it('were all sent here, and each write left the audit rows that are listed', async () => {
    const missed = MANAGEMENT_ROUTES.filter(({ name }) => !succeeded.has(name));
    expect(
      missed.map(({ name }) => name).filter((name) => !SENT_ELSEWHERE.test(name)),
    ).to.deep.equal([]);
    for (const { name, method, audits } of MANAGEMENT_ROUTES) {
      expect(audits !== undefined, name).to.equal(method !== 'GET');
    }
  });
});
