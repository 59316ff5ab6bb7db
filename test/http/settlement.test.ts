import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import request, { type Test } from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { type ChargeResult, ofCharges } from '../support/charge-hook.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { ODD_VALUES } from '../support/odd-values.ts';
import { WatchedBank } from '../support/watched-bank.ts';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

/** The money has moved, and something keeps the result from being written down at once. */
describe('a result that cannot be recorded at once', () => {
  let app: TestApp;
  let bank: WatchedBank;
  let clock: FakeClock;
  let knex: Knex;
  /** What the host's hook does; tests replace it. */
  let hook: (settled: ChargeResult) => Promise<void> = async () => undefined;

  before(async () => {
    clock = fakeClock();
    bank = new WatchedBank(clock);
    app = await startApp({
      paymount: {
        clock,
        processors: { test: bank },
        hook: ofCharges((_, settled) => hook(settled)),
      },
    });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });
  afterEach(async () => {
    hook = async () => undefined;
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  const post = (path: string, body: object, key?: string): Test => {
    const asked = request(app.url).post(path).auth(app.secretKey, '').send(body);
    return key === undefined ? asked : asked.set('Idempotency-Key', key);
  };
  const charge = async (id: string) =>
    (await request(app.url).get(`/v1/charges/${id}`).auth(app.secretKey, '')).body;
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await app.worker.drain();
  };

  it('is answered as pending, never as an error after which the card would be charged again', async () => {
    const [plain, keyed] = await knex.transaction(async (trx) => {
      // For longer than a lock is awaited, nothing can be posted.
      await trx.raw('LOCK TABLE paymount.ledger_tail IN SHARE MODE');
      return Promise.all([post('/v1/charges', SALE), post('/v1/charges', SALE, 'k-locked')]);
    });
    expect([plain.status, plain.body.status]).to.deep.equal([200, 'pending']);
    expect([keyed.status, keyed.body.error.code]).to.deep.equal([409, 'idempotency_key_in_use']);
    await pass(61 * SECOND);
    expect((await charge(plain.body.id)).status).to.equal('succeeded');
    const again = await post('/v1/charges', SALE, 'k-locked');
    expect([again.status, again.body.status]).to.deep.equal([200, 'succeeded']);
    for (const { id } of [plain.body, again.body]) {
      expect(bank.asked('authorize', id)).to.have.length(1);
    }
  });

  it('is recorded at once after a restore that took away what this process knows', async () => {
    await knex.transaction(async (trx) => {
      // The backup was made before the first charge in this currency.
      await trx.raw('SET LOCAL session_replication_role = replica');
      await trx('paymount.ledger_account').where({ currency: 'eur' }).delete();
      await trx.raw(`TRUNCATE paymount.ledger_entry, paymount.ledger_transaction,
        paymount.ledger_tail, paymount.balance_transactions, paymount.operations,
        paymount.refunds, paymount.charges, paymount.payment_methods, paymount.events,
        paymount.idempotency_keys CASCADE`);
    });
    const answer = await post('/v1/charges', SALE);
    expect([answer.status, answer.body.status]).to.deep.equal([200, 'succeeded']);
  });

  it('returns the same response under one key while the hook refuses it and afterwards', async () => {
    hook = async () => {
      throw new Error('the shop is not ready');
    };
    const sale = { ...SALE, metadata: { zz: '1', a: '2' } };
    const first = await post('/v1/charges', sale, 'k-refused');
    expect([first.status, first.body.status]).to.deep.equal([200, 'pending']);
    expect((await post('/v1/charges', sale, 'k-refused')).text).to.equal(first.text);
    hook = async () => undefined;
    await pass(11 * SECOND);
    expect((await charge(first.body.id)).status).to.equal('succeeded');
    expect((await post('/v1/charges', sale, 'k-refused')).text).to.equal(first.text);
  });

  it('returns the same response under one key when its outcome is unknown, whatever the order of metadata', async () => {
    const sale = { ...SALE, source: 'tok_timeout_approved', metadata: { zz: '1', a: '2' } };
    const first = await post('/v1/charges', sale, 'k-unknown');
    expect(first.body.status).to.equal('pending');
    expect((await post('/v1/charges', sale, 'k-unknown')).text).to.equal(first.text);
  });

  it('does not wait for a hook that never ends, nor keep others waiting', async () => {
    hook = () => new Promise(() => undefined);
    const first = await post('/v1/charges', SALE);
    expect([first.status, first.body.status]).to.deep.equal([200, 'pending']);
    hook = async () => undefined;
    const second = await post('/v1/charges', SALE);
    expect([second.status, second.body.status]).to.deep.equal([200, 'succeeded']);
    await pass(11 * SECOND);
    expect((await charge(first.body.id)).status).to.equal('succeeded');
  });

  it('books what the bank keeps beside the sale, and shows the merchant nothing of it', async () => {
    bank.fee = 35;
    const { body: paid } = await post('/v1/charges', SALE).expect(200);
    bank.fee = 0;
    const entries = await knex('paymount.ledger_entry as e')
      .join('paymount.ledger_account as a', 'a.id', 'e.ledger_account_id')
      .join('paymount.ledger_transaction as t', 't.id', 'e.transaction_id')
      .where({ 't.source_id': paid.id })
      .orderBy('e.id')
      .select('t.kind', 'a.code', 'e.amount');
    expect(entries.map(({ kind, code, amount }) => `${kind} ${code} ${amount}`)).to.have.members([
      'capture processor_clearing 10000',
      'capture pending -10000',
      'processor_fee processor_fees 35',
      'processor_fee processor_clearing -35',
    ]);
    const line = await request(app.url)
      .get(`/v1/balance_transactions/${paid.balance_transaction}`)
      .auth(app.secretKey, '');
    expect(line.body).to.include({ amount: 10_000, fee: 0, net: 10_000 });
  });

  it('books what the bank keeps of refunds, voids and authorizations, each once', async () => {
    bank.fee = 35;
    const held = () => post('/v1/charges', { ...SALE, capture: false }).expect(200);
    const { body: paid } = await post('/v1/charges', SALE).expect(200);
    const { body: refund } = await post('/v1/refunds', { charge: paid.id, amount: 1 }).expect(200);
    const { body: voided } = await held();
    await post(`/v1/charges/${voided.id}/cancel`, {}).expect(200);
    const { body: released } = await held();
    const { body: release } = await post('/v1/refunds', { charge: released.id }).expect(200);
    const { body: captured } = await held();
    await post(`/v1/charges/${captured.id}/capture`, { amount: 4_000 }).expect(200);
    bank.fee = 0;
    expect([refund.status, release.status]).to.deep.equal(['succeeded', 'succeeded']);
    const fees = async (sources: readonly string[]): Promise<string[]> => {
      const entries = await knex('paymount.ledger_entry as e')
        .join('paymount.ledger_account as a', 'a.id', 'e.ledger_account_id')
        .join('paymount.ledger_transaction as t', 't.id', 'e.transaction_id')
        .where('t.kind', 'processor_fee')
        .whereIn('t.source_id', sources)
        .orderBy('e.id')
        .select('a.code', 'e.amount');
      return entries.map(({ code, amount }) => `${code} ${amount}`);
    };
    const booked = ['processor_fees 35', 'processor_clearing -35'];
    for (const source of [paid, refund, voided, release, captured]) {
      expect(await fees([source.id])).to.have.members(booked);
    }
    expect(await fees([released.id])).to.deep.equal([]);
    const authorizations = await knex('paymount.operations')
      .whereIn('charge_id', [voided.id, released.id, captured.id])
      .where('kind', 'authorize')
      .pluck('id');
    for (const operation of authorizations) {
      expect(await fees([operation])).to.have.members(booked);
    }
    expect(authorizations).to.have.length(3);
    // 10,000 less 1 refunded, and 4,000 captured: the merchant pays none of these fees.
    const { body: lines } = await request(app.url)
      .get('/v1/balance_transactions?limit=100')
      .auth(app.secretKey, '');
    expect(lines.data.every(({ fee }: { fee: number }) => fee === 0)).to.equal(true);
  });

  it('of one expired authorization does not keep the others from expiring', async () => {
    const made = await Promise.all(
      [1, 2].map(() => post('/v1/charges', { ...SALE, capture: false })),
    );
    const [refused, other] = made.map(({ body }) => body.id);
    hook = async ({ charge: { id } }) => {
      if (id === refused) throw new Error('the shop is not ready');
    };
    await knex('paymount.charges').where({ id: refused }).update({ capture_before: new Date() });
    await pass(7 * DAY + SECOND);
    expect((await charge(other)).failure_code).to.equal('charge_expired_for_capture');
    expect((await charge(refused)).status).to.equal('authorized');
    hook = async () => undefined;
    await pass(0);
    expect((await charge(refused)).failure_code).to.equal('charge_expired_for_capture');
  });

  for (const [what, value] of ODD_VALUES) {
    it(`is kept when the hook throws ${what}`, async () => {
      hook = async () => {
        throw value;
      };
      const { status, body } = await post('/v1/charges', SALE);
      expect([status, body.status]).to.deep.equal([200, 'pending']);
      const [operation] = await knex('paymount.operations').where({ charge_id: body.id });
      expect(operation.outcome).to.include({ outcome: 'approved' });
      hook = async () => undefined;
      await pass(61 * SECOND);
      expect((await charge(body.id)).status).to.equal('succeeded');
      expect(bank.asked('authorize', body.id)).to.have.length(1);
    });

    it(`keeps no other authorization from expiring when the hook throws ${what}`, async () => {
      const made = await Promise.all(
        [1, 2].map(() => post('/v1/charges', { ...SALE, capture: false })),
      );
      const [refused, other] = made.map(({ body }) => body.id);
      hook = async ({ charge: { id } }) => {
        if (id === refused) throw value;
      };
      await knex('paymount.charges').where({ id: refused }).update({ capture_before: new Date() });
      await pass(7 * DAY + SECOND);
      expect((await charge(other)).failure_code).to.equal('charge_expired_for_capture');
      expect((await charge(refused)).status).to.equal('authorized');
    });
  }
});
