import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { type Authenticator, allOf, anyOf, PaymountError } from 'paymount';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';

/** An admin that the header names, or nobody. */
function byHeader(header: string, via: string, more: object = {}): Authenticator {
  return async ({ headers }) => {
    const id = headers[header];
    if (typeof id !== 'string') throw new PaymountError('admin_unauthenticated', `No ${header}.`);
    if (id === 'down') throw new PaymountError('unavailable');
    if (id === 'forbidden') throw new PaymountError('permission_denied');
    if (id === 'bug') throw new TypeError('a mistake of the host');
    return {
      id,
      displayName: id,
      roles: [via === 'badge' ? 'viewer' : 'admin'],
      accounts: 'all',
      environments: ['live', 'test'],
      via,
      ...more,
    };
  };
}

const badge = byHeader('x-badge', 'badge');
const pin = byHeader('x-pin', 'pin', { tokenId: 'pin-1' });

describe('Authenticators together', () => {
  let both: AdminApp;
  let either: AdminApp;
  before(async () => {
    both = await startAdminApp({ authenticate: () => allOf(badge, pin) });
    either = await startAdminApp({ authenticate: () => anyOf(badge, pin) });
  });
  after(async () => {
    await both.close();
    await either.close();
  });

  async function verdict(app: AdminApp, headers: Record<string, string>): Promise<string> {
    const { status, json, error } = await app.admin('/me', { token: '', headers });
    return status === 200
      ? `${String(json['id'])} by ${String(json['via'])} as ${String(json['roles'])}`
      : `${status} ${String(error['message'])}`;
  }

  it('by allOf must all hold, and the first names the admin', async () => {
    expect(await verdict(both, { 'x-badge': 'ada', 'x-pin': 'eve' })).to.equal(
      'ada by badge+pin as viewer',
    );
    expect(await verdict(both, { 'x-badge': 'ada' })).to.equal('401 No x-pin.');
    expect(await verdict(both, { 'x-pin': 'eve' })).to.equal('401 No x-badge.');
    expect(await verdict(both, {})).to.equal('401 No x-badge.');
  });

  it('by allOf see what all of them see, from the login that one of them knows', async () => {
    const [one, two, three] = [newId('acct'), newId('acct'), newId('acct')];
    const authTime = new Date('2026-01-02T03:04:05Z');
    const wide = byHeader('x-badge', 'badge', { accounts: [one, two], environments: ['test'] });
    const near = byHeader('x-pin', 'pin', { accounts: [two, three], authTime });
    const all = byHeader('x-pin', 'third', { environments: ['live', 'test'] });
    const own = await startAdminApp({ authenticate: () => allOf(all, wide, near) });
    const headers = { 'x-badge': 'ada', 'x-pin': 'eve' };
    const { json } = await own.admin('/me', { token: '', headers });
    expect(json).to.deep.include({
      id: 'eve',
      roles: ['admin'],
      accounts: [two],
      environments: ['test'],
      auth_time: '2026-01-02T03:04:05.000Z',
      via: 'third+badge+pin',
    });
    await own.close();
  });

  it('by anyOf end with the first that forbids the request', async () => {
    expect(await verdict(either, { 'x-badge': 'forbidden', 'x-pin': 'eve' })).to.match(/^403 /);
  });

  it('by anyOf are asked in their order until one knows the admin', async () => {
    expect(await verdict(either, { 'x-badge': 'ada', 'x-pin': 'eve' })).to.equal(
      'ada by badge as viewer',
    );
    expect(await verdict(either, { 'x-pin': 'eve' })).to.equal('eve by pin as admin');
    expect(await verdict(either, {})).to.equal('401 No x-badge.');
  });

  it('of anyOf return the most specific error when none of them recognizes the admin', async () => {
    expect(await verdict(either, { 'x-pin': 'down' })).to.match(/^503 /);
    expect(await verdict(either, { 'x-badge': 'down' })).to.match(/^503 /);
    expect(await verdict(either, { 'x-badge': 'down', 'x-pin': 'eve' })).to.equal(
      'eve by pin as admin',
    );
  });

  it('are refused when none is given', () => {
    const none = undefined as unknown as Authenticator;
    const message = 'takes at least one authenticator';
    expect(() => anyOf()).to.throw(TypeError, `anyOf() ${message}`);
    expect(() => anyOf(none)).to.throw(TypeError, `anyOf() ${message}`);
    // @ts-expect-error nothing at all
    expect(() => allOf()).to.throw(TypeError, `allOf() ${message}`);
    expect(() => allOf(() => none as never, none)).to.throw(TypeError, `allOf() ${message}`);
  });

  it('do not hide a mistake of the host', async () => {
    expect(await verdict(either, { 'x-badge': 'bug', 'x-pin': 'eve' })).to.match(/^500 /);
    expect(await verdict(both, { 'x-badge': 'ada', 'x-pin': 'bug' })).to.match(/^500 /);
  });
});
