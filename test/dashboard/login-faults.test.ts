import { expect } from 'chai';
import type { Identity } from 'paymount';
import { ask } from '../support/ask.ts';
import { startHost } from '../support/host.ts';
import { writtenLog } from '../support/written-log.ts';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

const MAX_ACCOUNTS = 10_000;

describe("The host's login in the dashboard", () => {
  let setup: DashboardSetup;

  before(async () => {
    setup = await startDashboardSetup();
  });
  after(() => setup.close());

  /** What a page, the session and the API answer with this login, and what the host logs. */
  async function visit(current: Identity['current']) {
    const log = writtenLog();
    const host = await startHost(setup, {
      paymount: { logger: log.logger, clock: setup.clock },
      mount(app, paymount) {
        const identity = { ...setup.login.identity, current };
        app.use(paymount.dashboardRouter({ identity, requireTls: false }));
      },
    });
    try {
      const paths = [
        `/${setup.account}/test`,
        '/api/session',
        `/api/${setup.account}/test/keys`,
      ] as const;
      const open = (path: string) => ask(host.url + path, { key: '' });
      const replies = await Promise.all(paths.map(open));
      return { replies, log: log.text() };
    } finally {
      await host.close();
    }
  }

  const hostUser = (more: object) => ({
    userId: 'user-1',
    displayName: 'Ada',
    sessionRef: 's1',
    authTime: setup.clock.now(),
    accounts: [{ id: setup.account, name: 'Shop', role: 'owner' }],
    ...more,
  });
  const accounts = (count: number) => {
    const ids = Array.from({ length: count - 1 }, (_, number) => String(number).padStart(26, '0'));
    const others = ids.map((id) => ({ id: `acct_${id}`, name: 'Other', role: 'viewer' }));
    return [{ id: setup.account, name: 'Shop', role: 'owner' }, ...others];
  };

  it('that takes over 5 seconds gets 503, on pages and in the API', async () => {
    const { replies } = await visit(() => new Promise(() => undefined));
    for (const { status, headers } of replies) {
      expect([status, headers['retry-after']]).to.deep.equal([503, '1']);
    }
  });

  it('that returns something else gets 500, and only the log names the fault', async () => {
    const [own] = hostUser({}).accounts;
    for (const [returned, fault] of [
      [undefined, 'returned undefined, not null'],
      ['user-1', 'userId is a text'],
      [[], 'userId is a text'],
      [hostUser({ accounts: own }), 'accounts are an array'],
      [hostUser({ accounts: [{ ...own, role: 'admin' }] }), 'role is owner, developer or viewer'],
      [hostUser({ accounts: [own, { ...own, role: 'viewer' }] }), 'name each account once'],
      [hostUser({ accounts: accounts(MAX_ACCOUNTS + 1) }), 'at most 10000, but there are 10001'],
    ] as const) {
      const { replies, log } = await visit(async () => returned as never);
      for (const { status, text } of replies) {
        expect([status, text.includes(fault)], fault).to.deep.equal([500, false]);
      }
      expect(log, fault).to.include(fault);
    }
  });

  it('may give a user 10,000 accounts', async () => {
    const { replies } = await visit(
      async () => hostUser({ accounts: accounts(MAX_ACCOUNTS) }) as never,
    );
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(replies[1]?.json['accounts']).to.have.lengthOf(MAX_ACCOUNTS);
  });
});
