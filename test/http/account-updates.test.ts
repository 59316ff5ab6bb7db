import { expect } from 'chai';
import pg from 'pg';
import { query } from '../support/database.ts';
import { BANK_NUMBERS, MANDATE } from '../support/debit-shop.ts';
import { isNightly } from '../support/depth.ts';
import { eventually } from '../support/eventually.ts';
import { type NoticeSetup, notice, startNoticeSetup } from '../support/notifying-bank.ts';

const NUMBER = '73190064528';
const OTHER_NUMBER = '73190067777';
const ROUTING = '021000021';
/** Of a race. */
const ROUNDS = isNightly ? 10 : 2;
/** Sent number after number, so that each bank account has a token of its own. */
let taken = 73_190_000_000;

type Json = Readonly<Record<string, unknown>>;

interface Saved {
  readonly id: string;
  readonly token: string;
}

describe('Account updates that overtake each other', () => {
  let setup: NoticeSetup;

  before(async () => {
    setup = await startNoticeSetup();
    const tokenize = setup.bank.tokenize.bind(setup.bank);
    // It takes any number, which the sandbox does not, and gets it again with each debit.
    setup.bank.tokenize = async (...asked) => {
      const [input] = asked;
      if (!('usBankAccount' in input)) return tokenize(...asked);
      const { usBankAccount } = input;
      const last4 = usBankAccount.accountNumber.slice(-4);
      return {
        result: 'tokenized',
        facts: { type: input.type, usBankAccount: { ...usBankAccount, last4 } },
      };
    };
  });
  after(() => setup.close());

  async function save(): Promise<Saved> {
    taken += 1;
    const sent = { ...BANK_NUMBERS, account_number: String(taken) };
    const body = { type: 'us_bank_account', us_bank_account: sent, mandate_data: MANDATE };
    const { id } = (await setup.post('/v1/payment_methods', body).expect(200)).body;
    const select = 'SELECT processor_token AS token FROM paymount.payment_methods WHERE id = $1';
    const [row] = await query<{ token: string }>(setup.databaseUrl, select, [id]);
    return { id, token: row?.token ?? '' };
  }
  const bankAccount = async ({ id }: Saved): Promise<Json> =>
    (await setup.get(`/v1/payment_methods/${id}`)).body.us_bank_account;
  const update = ({ token }: Saved, time: string, data: object) =>
    notice({
      kind: 'account_update',
      occurredAt: `2026-11-20T${time}:00Z`,
      data: { processorToken: token, ...data },
    });
  const state = async (noticeId: unknown) => {
    const select = 'SELECT id, state, reason FROM paymount.notices WHERE notice_id = $1';
    const [row] = await query<{ id: string; state: string }>(setup.databaseUrl, select, [noticeId]);
    return row;
  };

  it('apply what no later one names', async () => {
    const saved = await save();
    const number = update(saved, '10:00', { accountNumber: NUMBER });
    await setup.deliver(update(saved, '11:00', { routingNumber: ROUTING }));
    await setup.deliver(number);
    expect(await bankAccount(saved)).to.include({ last4: '4528', routing_number: ROUTING });
    expect(await state(number['noticeId'])).to.include({ state: 'applied' });
  });

  it('apply some of their fields, if a later one names the others', async () => {
    const saved = await save();
    await setup.deliver(update(saved, '11:00', { accountNumber: NUMBER }));
    const both = { accountNumber: OTHER_NUMBER, routingNumber: ROUTING };
    await setup.deliver(update(saved, '10:00', both));
    expect(await bankAccount(saved)).to.include({ last4: '4528', routing_number: ROUTING });
    const earlier = update(saved, '09:00', { routingNumber: '110000000' });
    await setup.deliver(earlier);
    expect(await bankAccount(saved)).to.include({ routing_number: ROUTING });
    expect(await state(earlier['noticeId'])).to.include({
      state: 'ignored',
      reason: 'It says nothing that a later update of this token does not say.',
    });
  });

  it('keep no update of another token waiting if a transaction holds what they are about', async () => {
    const [held, free] = [await save(), await save()];
    const holder = new pg.Client({ connectionString: setup.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM paymount.payment_methods WHERE id = $1 FOR UPDATE', [
        held.id,
      ]);
      const first = update(held, '10:00', { accountNumber: NUMBER });
      const second = update(free, '10:00', { accountNumber: NUMBER });
      await setup.send([first, second]).expect(200);
      const states = await eventually(
        async () => [await state(first['noticeId']), await state(second['noticeId'])],
        (rows) => rows.every((row) => row?.state !== 'received'),
      );
      expect(states.map((row) => row?.state)).to.deep.equal(['waiting', 'applied']);
    } finally {
      await holder.end();
    }
    await setup.pass(11_000);
    expect(await bankAccount(held)).to.include({ last4: '4528' });
  });

  it('count if they only repeated what was known', async () => {
    const saved = await save();
    await setup.deliver(update(saved, '11:00', { routingNumber: '110000000' }));
    await setup.deliver(update(saved, '10:00', { routingNumber: ROUTING }));
    expect(await bankAccount(saved)).to.include({ routing_number: '110000000' });
  });

  it('do not count once a person has dismissed them', async () => {
    const saved = await save();
    const wrong = update({ ...saved, token: 'nobody_has_it' }, '12:00', { accountNumber: NUMBER });
    await setup.deliver(wrong);
    await query(
      setup.databaseUrl,
      `UPDATE paymount.notices SET state = 'quarantined', review_since = created,
        data = data || jsonb_build_object('processorToken', $2::text) WHERE notice_id = $1`,
      [wrong['noticeId'], saved.token],
    );
    const { id } = (await state(wrong['noticeId'])) ?? {};
    const body = { reason: 'It is of another customer.' };
    expect((await setup.admin(`/notices/${id}/dismiss`, { body })).status).to.equal(200);
    await setup.deliver(update(saved, '11:00', { accountNumber: OTHER_NUMBER }));
    expect(await bankAccount(saved)).to.include({ last4: '7777' });
  });

  it('end with the latest, if they come at once', async () => {
    const times = ['10:00', '11:00', '12:00', '13:00'];
    for (let round = 0; round < ROUNDS; round += 1) {
      const saved = await save();
      const sent = times.map((time) =>
        update(saved, time, { accountNumber: `7319006${time.replace(':', '')}` }),
      );
      await Promise.all(sent.map((each) => setup.send([each]).expect(200)));
      await setup.deliver(update(saved, '09:00', { accountType: 'savings' }));
      expect(await bankAccount(saved)).to.include({ last4: '1300', account_type: 'savings' });
    }
    expect(setup.errors).to.deep.equal([]);
  });

  it('reach thousands of payment methods at once', async () => {
    const saved = await save();
    const others = 3_000;
    await query(
      setup.databaseUrl,
      `INSERT INTO paymount.payment_methods
        SELECT (jsonb_populate_record(p, jsonb_build_object('id', 'pm_copy' || n))).*
        FROM paymount.payment_methods p, generate_series(1, $2::integer) n WHERE p.id = $1`,
      [saved.id, others],
    );
    await setup.deliver(update(saved, '10:00', { accountNumber: NUMBER, routingNumber: ROUTING }));
    const count = `SELECT version, count(*)::integer AS methods FROM paymount.payment_methods
      WHERE processor_token = $1 AND us_bank_account @> $2 GROUP BY version`;
    const facts = { last4: '4528', routingNumber: ROUTING };
    const rows = await query(setup.databaseUrl, count, [saved.token, facts]);
    expect(rows).to.deep.equal([{ version: 2, methods: others + 1 }]);
    expect(setup.errors).to.deep.equal([]);
  });
});
