import { userInfo } from 'node:os';
import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { query } from '../support/database.ts';
import { type Outcome, paymount, toJson } from '../support/run-command.ts';
import { webhookSetting } from '../support/webhook-setting.ts';

describe('paymount expunge', () => {
  let app: AdminApp;
  let event: string;
  let chosen: readonly string[];

  before(async () => {
    app = await startAdminApp();
    event = await webhookSetting(app).publish();
    chosen = ['--account', app.account, '--environment', 'test', '--reason', 'Ticket 4711'];
  });
  after(() => app.close());

  const run = (...args: string[]): Promise<Outcome> =>
    paymount({ DATABASE_URL: app.databaseUrl }, 'expunge', ...args);

  it('requests it, and shows how far it is', async () => {
    const made = await run('create', ...chosen, '--event', event, '--created-from', '2020-01-01');
    expect([made.exitCode, made.out.length], made.err.join('\n')).to.deep.equal([0, 1]);
    const [id = ''] = made.out;
    const before = toJson(
      await paymount({ DATABASE_URL: app.databaseUrl }, '--json', 'expunge', 'show', id),
    );
    expect(before).to.deep.include({
      id,
      account: app.account,
      livemode: false,
      events: [event],
      reason: 'Ticket 4711',
      created_filter: { gt: null, gte: '2020-01-01T00:00:00.000Z', lt: null, lte: null },
    });
    await app.worker.drain();
    const shown = await run('show', id);
    expect(shown.out.map((line) => line.replace(/ +/, ' '))).to.include.members([
      'status succeeded',
      'expunged_events 1',
      'failure -',
    ]);
    const listed = await run('list', '--account', app.account, '--status', 'succeeded');
    expect(listed.out[1]).to.match(
      new RegExp(`^${id}  succeeded  ${app.account}  test +1 +20\\S+Z  Ticket 4711$`),
    );
    expect((await run('list', '--status', 'failed')).out).to.deep.equal([
      'There is no such request.',
    ]);
    const [entry] = await query<{ actor_type: string; actor_id: string }>(
      app.databaseUrl,
      'SELECT actor_type, actor_id FROM paymount.audit_log WHERE target = $1',
      [id],
    );
    expect(entry).to.deep.equal({ actor_type: 'command', actor_id: userInfo().username });
  });

  for (const [what, more, exitCode, message] of [
    ['nothing selected', [], 2, 'Say which events: --event, --object, --created-from'],
    ['an unknown event', ['--event', 'evt_1'], 1, 'No such event: evt_1'],
    ['an unknown object', ['--object', 'ch_1'], 1, 'No event is about an object of this id.'],
    ['a time that is none', ['--created-from', 'soon'], 2, '--created-from takes a date'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const refused = await run('create', ...chosen, ...more);
      expect([refused.exitCode, refused.out]).to.deep.equal([exitCode, []]);
      expect(refused.err.join('\n')).to.include(message);
    });
  }

  it('refuses an unknown account, request, and a command without a reason', async () => {
    const account = ['--account', 'acct_01jd00000000000000000000aa', '--environment', 'test'];
    const unknown = await run('create', ...account, '--reason', 'A test.', '--object', 'ch_1');
    expect([unknown.exitCode, unknown.err.join('\n')]).to.deep.include(1);
    expect(unknown.err.join('\n')).to.include('No such account');
    expect((await run('show', 'expr_01jd00000000000000000000aa')).exitCode).to.equal(1);
    expect((await run('show', 'rpl_1')).exitCode).to.equal(2);
    expect((await run('create', ...chosen.slice(0, 4))).exitCode).to.equal(2);
  });
});
