import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { eventually } from '../support/eventually.ts';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import { PaidOut } from '../support/paid-out.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Json = Readonly<Record<string, unknown>>;

describe('A payout whose account is stopped before it is sent', function () {
  this.timeout(60_000);
  let setup: NoticeSetup;
  let shop: PaidOut;
  let knex: Knex;
  /** What the hook was told; it refuses while `isRefusing`. */
  let told: string[];
  let isRefusing: boolean;

  beforeEach(async () => {
    told = [];
    isRefusing = false;
    setup = await startNoticeSetup({
      hook: async (_trx, result) => {
        if (isRefusing) throw new Error('the shop is not ready');
        if (result.kind !== 'payout') return;
        const { id, status, failure_code: code } = result.payout;
        told.push(`${id} ${status} ${code}`);
      },
    });
    shop = new PaidOut(setup, setup.clock);
    knex = createKnex({ client: 'pg', connection: setup.databaseUrl, pool: { min: 0, max: 2 } });
    await shop.earn(5_000);
    await shop.addBank();
  });
  afterEach(async () => {
    await knex.destroy();
    expect(await setup.paymount.verify()).to.deep.equal([]);
    await setup.close();
  });

  const make = async (more: object = {}): Promise<string> => {
    const body = { amount: 1_000, currency: 'eur', ...more };
    return (await setup.post('/v1/payouts', body).expect(200)).body.id;
  };
  /** As the host, because the keys of a suspended account are refused. */
  const find = async (id: string): Promise<Json> =>
    (await setup.paymount.payouts.retrieve(setup.acting, id)) as unknown as Json;
  const available = async (): Promise<number> => {
    const { rows } = await knex.raw(
      `SELECT sum(e.amount)::int AS sum FROM paymount.ledger_entry e
       JOIN paymount.ledger_account a ON a.id = e.ledger_account_id
       WHERE a.code = 'available' AND a.account_id = ?`,
      [setup.account],
    );
    return -rows[0].sum;
  };
  const suspend = () => setup.admin(`/accounts/${setup.account}/suspend`, { body: {} });
  const resume = () => setup.admin(`/accounts/${setup.account}/resume`, { body: {} });
  const allow = (payouts_enabled: boolean, more: object = {}) =>
    setup.admin(`/accounts/${setup.account}/payout_settings`, {
      body: { payouts_enabled, ...more },
    });
  const operationOf = async (subject: string): Promise<Json> => {
    const { json } = await setup.admin(`/operations?subject=${subject}&state=any`);
    return (json['data'] as Json[])[0] ?? {};
  };

  for (const [code, stop, goOn, message] of [
    ['account_suspended', suspend, resume, 'The account was suspended before the payout was sent.'],
    [
      'payouts_disabled',
      () => allow(false),
      () => allow(true),
      'The operator stopped payouts of the account before the payout was sent.',
    ],
  ] as const) {
    it(`is canceled with the code ${code}, and its amount is on the balance again`, async () => {
      const id = await make();
      expect(await available()).to.equal(4_000);
      expect((await stop()).status).to.equal(200);
      await setup.pass(11 * SECOND);
      const canceled = await find(id);
      expect(canceled).to.include({ status: 'canceled', failure_code: code });
      expect(canceled['failure_message']).to.equal(message);
      expect(canceled['failure_balance_transaction']).to.match(/^txn_/);
      expect(await available()).to.equal(5_000);
      expect(setup.bank.asked('payout', id)).to.deep.equal([]);
      expect(told).to.deep.equal([`${id} canceled ${code}`]);
      expect(await operationOf(id)).to.include({ state: 'failed', review: null });
      await goOn();
      await setup.pass(DAY);
      expect(await find(id), 'for good').to.include({ status: 'canceled' });
      const next = await make({ amount: 5_000 });
      await shop.settle();
      expect(await find(next)).to.include({ status: 'paid', failure_code: null });
    });
  }

  it('is refused from the beginning while the account is stopped, also to the host', async () => {
    const create = () =>
      setup.paymount.payouts
        .create(setup.acting, { amount: 1_000, currency: 'eur' })
        .catch(({ code, message }: { code: string; message: string }) => [code, message]);
    await suspend();
    expect(await create()).to.deep.equal([
      'payouts_not_allowed',
      'The operator has suspended the account.',
    ]);
    await resume();
    await allow(false);
    expect(await create()).to.deep.equal([
      'payouts_not_allowed',
      'The operator has stopped payouts of the account.',
    ]);
    expect(await available()).to.equal(5_000);
  });

  it('tells the operator why: in its operation and in the log', async () => {
    const id = await make();
    await suspend();
    await setup.pass(11 * SECOND);
    const { id: operation } = await operationOf(id);
    const { json } = await setup.admin(`/operations/${String(operation)}`);
    const [answer, ...others] = json['answers'] as Json[];
    expect(others).to.deep.equal([]);
    expect(answer).to.deep.include({
      source: 'operator',
      reason: 'The account was suspended before the payout was sent.',
    });
    expect(setup.errors, 'nobody has to do anything').to.deep.equal([]);
  });

  it('is part of the next automatic payout, if a schedule made it', async () => {
    await allow(true, { schedule: { interval: 'daily', delay_days: 0 } });
    await setup.pass(DAY);
    const [made] = (await setup.get('/v1/payouts').expect(200)).body.data as Json[];
    expect(made).to.include({ amount: 5_000, status: 'pending', automatic: true });
    await allow(false);
    await setup.pass(11 * SECOND);
    expect(await find(String(made?.['id']))).to.include({ status: 'canceled' });
    expect(await available()).to.equal(5_000);
    await allow(true);
    await setup.pass(DAY);
    await shop.settle();
    const [next] = (await setup.get('/v1/payouts').expect(200)).body.data as Json[];
    expect(next).to.include({ amount: 5_000, status: 'paid', automatic: true });
    const parts = await setup.get(`/v1/balance_transactions?payout=${next?.['id']}`).expect(200);
    expect((parts.body.data as Json[]).map(({ type, net }) => [type, net])).to.deep.equal([
      ['payout_cancel', 5_000],
    ]);
  });

  it('is canceled when its test clock advances', async () => {
    const { body } = await setup
      .post('/v1/test_helpers/test_clocks', { frozen_time: setup.clock.now().toISOString() })
      .expect(200);
    const id = await make({ test_clock: body.id });
    await allow(false);
    await setup.post(`/v1/test_helpers/test_clocks/${body.id}/advance`, {
      frozen_time: new Date(setup.clock.now().getTime() + DAY).toISOString(),
    });
    await setup.worker.drain();
    expect(await find(id)).to.include({ status: 'canceled', failure_code: 'payouts_disabled' });
    const clock = await setup.get(`/v1/test_helpers/test_clocks/${body.id}`).expect(200);
    expect(clock.body.status).to.equal('ready');
    expect(setup.bank.asked('payout', id)).to.deep.equal([]);
  });

  it('is canceled too, if its bank account has refused another payout since', async () => {
    const destination = await shop.addBank('000111111113');
    const first = await make({ destination });
    await setup.pass(11 * SECOND);
    const second = await make({ destination });
    await setup.pass(3 * SECOND);
    expect(await find(first)).to.include({ status: 'failed', failure_code: 'account_closed' });
    await setup.pass(8 * SECOND);
    expect(await find(second)).to.include({
      status: 'canceled',
      failure_code: 'bank_account_errored',
      failure_message: 'Another payout to the bank account failed before the payout was sent.',
    });
    expect(setup.bank.asked('payout', second)).to.deep.equal([]);
    expect(await available()).to.equal(5_000);
    const { id } = await operationOf(second);
    const { json } = await setup.admin(`/operations/${String(id)}`);
    expect((json['answers'] as Json[])[0]).to.include({ source: 'processor' });
  });

  it('is not sent a second time, if the first request never reached the processor', async () => {
    setup.bank.found = 'not_found';
    const bank = await shop.addBank('000777777701');
    const id = await make({ destination: bank });
    await setup.pass(11 * SECOND);
    expect(setup.bank.asked('payout', id)).to.have.length(1);
    await suspend();
    for (const wait of [MINUTE, 6 * MINUTE]) await setup.pass(wait);
    expect(await find(id)).to.include({ status: 'canceled', failure_code: 'account_suspended' });
    expect(setup.bank.asked('payout', id)).to.have.length(1);
    expect(await available()).to.equal(5_000);
  });

  it('is canceled too, if the suspension commits while a worker begins to send', async () => {
    const id = await make();
    const suspension = await knex.transaction();
    await suspension('paymount.accounts')
      .where({ id: setup.account })
      .update({ status: 'suspended', suspended_at: setup.clock.now() });
    const sending = setup.pass(11 * SECOND);
    await eventually(async () => {
      const { rows } = await knex.raw(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return rows.length > 0;
    });
    await suspension.commit();
    await sending;
    expect(await find(id)).to.include({ status: 'canceled', failure_code: 'account_suspended' });
    expect(setup.bank.asked('payout', id)).to.deep.equal([]);
  });

  it('waits unsent while the hook of the host refuses its cancellation', async () => {
    const id = await make();
    await allow(false);
    isRefusing = true;
    await setup.pass(11 * SECOND);
    expect(await find(id)).to.include({ status: 'pending' });
    expect(await available()).to.equal(4_000);
    expect((await setup.admin('/operations')).json['data'], 'for some minutes').to.deep.equal([]);
    await setup.pass(6 * MINUTE);
    const { json } = await setup.admin('/operations');
    const [waiting, ...others] = json['data'] as Json[];
    expect(others).to.deep.equal([]);
    expect(waiting).to.include({ subject: id, kind: 'payout', state: 'created' });
    expect(waiting).to.have.nested.property('review.cause', 'hook_waits');
    const { since } = { ...(waiting?.['review'] as Json) };
    const waited = Date.parse(String(since)) - Date.parse(String(waiting?.['created']));
    expect(waited, 'since the first try').to.be.within(11 * SECOND, MINUTE);
    const [first] = setup.errors;
    expect(first?.sentence).to.match(
      new RegExp(
        `^The hook refused the result of ${id}: Error: the shop is not ready, at .+ The payout is not sent, and canceling it is tried again; `,
      ),
    );
    await setup.pass(MINUTE);
    await setup.pass(MINUTE);
    // The second refusal and the fourth are logged too, and not the third.
    expect(setup.errors.map(({ facts }) => facts['refusals'])).to.deep.equal([undefined, 2, 4]);
    isRefusing = false;
    await setup.pass(2 * MINUTE);
    expect(await operationOf(id)).to.include({ state: 'failed', review: null });
    expect(await find(id)).to.include({ status: 'canceled', failure_code: 'payouts_disabled' });
    expect(await available()).to.equal(5_000);
    expect(setup.bank.asked('payout', id)).to.deep.equal([]);
  });
});
