import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { AdminBelongings } from '../support/admin-stage.ts';
import type { Reply } from '../support/ask.ts';
import type { ManagementRoute } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';
import { countRows } from '../support/row-count.ts';
import { type Stage, type Staged, stagesOf } from '../support/stage.ts';

/** The routes with an id in their path. */
const ROUTES = MANAGEMENT_ROUTES.filter(({ of }) => of !== undefined);

describe('What lies outside the reach of an admin', () => {
  let app: AdminApp;
  let staged: Staged;
  let mine: Stage;
  let theirs: Stage;

  before(async () => {
    app = await startAdminApp();
    staged = await stagesOf(app);
    mine = await staged.stage();
    theirs = await staged.stage();
  });
  after(async () => {
    await staged.receiver.close();
    await app.close();
  });

  const idOf = (stage: Stage, { pattern }: ManagementRoute): string =>
    stage.ids[pattern.split('/')[1] ?? ''] ?? '';

  async function send(route: ManagementRoute, claims: object, id?: string): Promise<Reply> {
    const { method, pattern, path, body } = route;
    const own = { endpoint: mine.ids['endpoints'] } as AdminBelongings;
    return app.admin(id === undefined ? path : pattern.replace('{id}', id), {
      token: await app.token(['admin'], { ...claims }),
      method,
      ...(method === 'POST' ? { body: body?.(own, false) ?? {} } : {}),
    });
  }

  /** All that an answer says, but for the ids that differ by nature. */
  function said({ status, json, headers }: Reply, id: string): unknown {
    const text = JSON.stringify(json)
      .replaceAll(id, '<id>')
      .replaceAll(/req_\w+/g, '<request>');
    const names = Object.keys(headers).filter((name) => name !== 'date');
    return [status, text, names];
  }

  it('is staged: every kind of object is there, for each of two accounts', () => {
    for (const stage of [mine, theirs]) {
      expect(Object.values(stage.ids).every((id) => /^[a-z]+_[0-9a-z]{26}$/.test(id))).to.equal(
        true,
      );
    }
    expect(new Set(ROUTES.map(({ pattern }) => pattern.split('/')[1]))).to.deep.equal(
      new Set(Object.keys(mine.ids)),
    );
  });

  it('is answered as if it did not exist, on every route with an id', async () => {
    const rows = await countRows(app.databaseUrl);
    for (const route of ROUTES) {
      const scope = { accounts: [mine.account] };
      const foreign = await send(route, scope, idOf(theirs, route));
      const unknown = await send(route, scope);
      const what = `${route.method} ${route.pattern}: ${foreign.text}`;
      expect([foreign.status, foreign.error['code']], what).to.deep.equal([
        404,
        'resource_missing',
      ]);
      expect(said(foreign, idOf(theirs, route)), what).to.deep.equal(
        said(unknown, route.path.split('/')[2] ?? ''),
      );
    }
    const after = await countRows(app.databaseUrl);
    expect({ ...after, idempotency_keys: 0 }).to.deep.equal({ ...rows, idempotency_keys: 0 });
  });

  it('is answered so in the other environment too', async () => {
    for (const route of ROUTES) {
      // Accounts belong to no environment; what was done to them neither.
      if (/^\/(accounts|audit)/.test(route.pattern)) continue;
      const { status, text } = await send(route, { environments: ['live'] }, idOf(theirs, route));
      expect(status, `${route.method} ${route.pattern}: ${text}`).to.equal(404);
    }
  });

  it('is in no list, whatever the filter asks for', async () => {
    for (const list of [
      'accounts',
      'keys',
      'endpoints',
      'deliveries',
      'events',
      'replays',
      'operations',
      'leaks',
      'audit',
    ]) {
      const pageOf = async (query: string, claims: object): Promise<{ id: string }[]> => {
        const token = await app.token(['admin'], { ...claims });
        const { status, json, text } = await app.admin(`/${list}?limit=100${query}`, { token });
        expect(status, text).to.equal(200);
        return json['data'] as { id: string }[];
      };
      const all = await pageOf('', {});
      const own = await pageOf('', { accounts: [mine.account] });
      const ids = own.map(({ id }) => id);
      expect(ids, list).to.include(mine.ids[list]);
      expect(ids, list).not.to.include(theirs.ids[list]);
      expect(all.length, list).to.be.greaterThan(own.length);
      if (list === 'accounts') continue;
      for (const account of [theirs.account, newId('acct')]) {
        const token = await app.token(['admin'], { accounts: [mine.account] });
        const { status, error } = await app.admin(`/${list}?account=${account}`, { token });
        expect([status, error['code'], error['param'], error['message']], list).to.deep.equal([
          400,
          'resource_missing',
          'account',
          `No such account: ${account}`,
        ]);
      }
      if (list === 'audit') continue;
      expect(await pageOf('', { environments: ['live'] }), list).to.deep.equal([]);
      expect(await pageOf('&livemode=true', {}), list).to.deep.equal([]);
      const cursor = await app.admin(`/${list}?starting_after=${theirs.ids[list]}`, {
        token: await app.token(['admin'], { accounts: [mine.account] }),
      });
      expect(cursor.error['code'], list).to.equal('invalid_cursor');
    }
  });

  it('is not exported, and its chain not verified', async () => {
    const authorization = `Bearer ${await app.token(['admin'], { accounts: [mine.account] })}`;
    const answer = await fetch(`${app.url}/admin/payments/audit/export`, {
      headers: { authorization },
    });
    const accounts = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).account);
    expect(new Set(accounts)).to.deep.equal(new Set([mine.account]));
    const verify = async (body: object): Promise<Reply> =>
      app.admin('/audit/verify', {
        token: await app.token(['admin'], { accounts: [mine.account] }),
        body,
      });
    expect((await verify({})).error['code']).to.equal('parameter_missing');
    for (const account of [theirs.account, newId('acct')]) {
      const exported = await app.admin(`/audit/export?account=${account}`, {
        token: await app.token(['admin'], { accounts: [mine.account] }),
      });
      for (const { status, error } of [exported, await verify({ account })]) {
        expect([status, error['code'], error['param'], error['message']]).to.deep.equal([
          400,
          'resource_missing',
          'account',
          `No such account: ${account}`,
        ]);
      }
    }
    expect((await verify({ account: mine.account })).json['faults']).to.deep.equal([]);
  });

  it('is changed by nobody: an account is one in both environments', async () => {
    for (const path of ['', `/${mine.account}`, `/${mine.account}/suspend`]) {
      const token = await app.token(['admin'], { environments: ['test'] });
      const body = path === '' ? { name: 'A', country: 'DE', default_currency: 'eur' } : {};
      const { status, error } = await app.admin(`/accounts${path}`, { token, body });
      expect([status, error['code']], path).to.deep.equal([403, 'permission_denied']);
      expect(error['message']).to.match(/^In live you lack accounts\.(write|suspend)\.$/);
    }
    const token = await app.token(['admin'], { environments: ['test'] });
    const { json } = await app.admin(`/accounts/${mine.account}`, { token });
    expect(json['status']).to.equal('active');
  });

  it('is given nothing: no key, no endpoint, no account', async () => {
    const claims = { accounts: [mine.account] };
    const url = 'https://receiver.example/hook';
    const bodies = {
      '/keys': { account: theirs.account, livemode: false, type: 'secret', name: 'a' },
      '/endpoints': { account: theirs.account, livemode: false, url, enabled_events: ['*'] },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const token = await app.token(['admin'], claims);
      const { status, error } = await app.admin(path, { token, body });
      expect([status, error['code'], error['param']]).to.deep.equal([
        400,
        'resource_missing',
        'account',
      ]);
    }
    const made = await app.admin('/accounts', {
      token: await app.token(['admin'], claims),
      body: { name: 'Unseen', country: 'DE', default_currency: 'eur' },
    });
    expect([made.status, made.error['code']]).to.deep.equal([403, 'permission_denied']);
    const live = await app.admin('/keys', {
      token: await app.token(['admin'], { environments: ['test'] }),
      body: { account: mine.account, livemode: true, type: 'secret', name: 'a' },
    });
    expect([live.status, live.error['code']]).to.deep.equal([403, 'permission_denied']);
  });
});
