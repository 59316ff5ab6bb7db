import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask, postJson } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { PaidOut } from '../support/paid-out.ts';

const DAY = 86_400_000;
const ROUNDS = 15;

type Json = Readonly<Record<string, unknown>>;

describe('a payout while another bank account becomes the default', function () {
  this.timeout(60_000);
  let app: AdminApp;
  let clock: FakeClock;
  let shop: PaidOut;
  let knex: Knex;
  /** The default, and the one that becomes it. */
  let banks: readonly [string, string];

  beforeEach(async () => {
    clock = fakeClock('2026-11-21T12:00:00.000Z');
    app = await startAdminApp({ clock });
    shop = new PaidOut(app, clock);
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
    const later = await shop.addBank();
    banks = [await shop.addBank(), later];
    await shop.earn(10_000);
  });
  afterEach(async () => {
    await knex.destroy();
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });

  /** Swaps the default as a request does, whose commit comes only after `work` waits for it. */
  async function whileSwapping<Result>(work: () => Promise<Result>): Promise<Result> {
    const swap = await knex.transaction();
    for (const [index, id] of banks.entries()) {
      const row = { is_default: index === 1, version: knex.raw('version + 1') };
      await swap('paymount.bank_accounts').where({ id }).update(row);
    }
    const working = work();
    await eventually(async () => {
      const { rows } = await knex.raw(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return rows.length > 0;
    });
    await swap.commit();
    return working;
  }

  it('goes to the new default, if it was asked for', async () => {
    const body = { amount: 1_000, currency: 'eur' };
    const made = await whileSwapping(() => shop.post('/v1/payouts', body));
    expect([made.status, made.json['destination']], made.text).to.deep.equal([200, banks[1]]);
  });

  it('goes to the new default, if a schedule makes it', async () => {
    const settings = `/accounts/${app.account}/payout_settings`;
    await app.admin(settings, { body: { schedule: { interval: 'daily', delay_days: 0 } } });
    await whileSwapping(() => shop.pass(DAY));
    const { json } = await app.admin(settings);
    expect((json['currencies'] as Json[])[0]).to.include({ waits_for: null });
    const { json: list } = await ask(`${app.url}/v1/payouts`, { key: app.secretKey });
    const [made] = list['data'] as Json[];
    expect(made).to.include({ automatic: true, destination: banks[1] });
  });

  it('is never refused for want of a bank account, however often the default moves', async () => {
    const external = `${app.url}/v1/accounts/${app.account}/external_accounts`;
    const key = app.secretKey;
    const failures: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const next = banks[round % 2] ?? '';
      const answers = await Promise.all([
        postJson(`${external}/${next}`, { default_for_currency: true }, { key }),
        ...Array.from({ length: 6 }, () =>
          shop.post('/v1/payouts', { amount: 10, currency: 'eur' }),
        ),
      ]);
      failures.push(...answers.filter(({ status }) => status !== 200).map(({ text }) => text));
    }
    expect(failures).to.deep.equal([]);
  });

  it('is refused if the only bank account of its currency is deleted meanwhile', async () => {
    const [own] = banks;
    const deleting = await knex.transaction();
    await deleting('paymount.bank_accounts').whereIn('id', banks).update({
      status: 'deleted',
      deleted_at: clock.now(),
      is_default: false,
      sealed_number: null,
      kid: null,
    });
    const made = shop.post('/v1/payouts', { amount: 1_000, currency: 'eur' });
    await eventually(async () => {
      const { rows } = await knex.raw(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return rows.length > 0;
    });
    await deleting.commit();
    const { status, error } = await made;
    expect([status, error['code']], own).to.deep.equal([400, 'payouts_not_allowed']);
  });
});
