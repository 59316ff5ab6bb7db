import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import {
  asShown,
  factsOf,
  type Json,
  ledgerSums,
  NOT_SETTLED,
  readReference,
} from './settlement-facts.ts';

const DAY = 86_400_000;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

describe('Settlement lines', () => {
  let setup: NoticeSetup;
  let numbered = 0;

  beforeEach(async () => {
    setup = await startNoticeSetup();
  });
  afterEach(() => setup.close());

  const charge = async (more: object = {}): Promise<{ id: string; reference: string }> => {
    const { body } = await setup.post('/v1/charges', { ...SALE, ...more }).expect(200);
    return { id: body.id, reference: body.processor.reference };
  };
  const referenceOf = (id: string): Promise<string> => readReference(setup.databaseUrl, id);
  const line = (processorReference: string | undefined, data: object) => {
    numbered += 1;
    const settledOn = new Date(setup.clock.now().getTime() - DAY).toISOString();
    const facts = { lineId: `line_${numbered}`, currency: 'eur', settledOn, kind: 'payment' };
    return {
      kind: 'settlement_line',
      ...(processorReference === undefined ? {} : { processorReference }),
      data: { ...facts, ...data },
    };
  };
  const differences = async (filter = ''): Promise<readonly Json[]> =>
    (await setup.admin(`/settlement_differences${filter}`)).json['data'] as Json[];
  const findings = async (): Promise<readonly unknown[]> =>
    (await setup.paymount.verify()).map(({ rule, expected, found }) => [rule, expected, found]);
  const settle = async (difference: Json = {}): Promise<void> => {
    const path = `/settlement_differences/${difference['id']}/settle`;
    const settled = await setup.admin(path, { body: asShown(difference) });
    expect(settled.json).to.include({ state: 'settled' });
  };
  const ledger = (): Promise<Json> => ledgerSums(setup.databaseUrl);

  it('move what the processor owes to the bank, once, with their fee', async () => {
    const { reference } = await charge();
    const paid = line(reference, { amount: 10_000, fee: 290 });
    await setup.deliver(paid);
    // The same line in another notice, as in the file of the next day.
    await setup.deliver(paid);
    expect(await ledger()).to.deep.equal({
      bank: 9_710,
      processor_clearing: 0,
      processor_fees: 290,
    });
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('do not book a fee again that came with the outcome', async () => {
    setup.bank.fee = 290;
    const { reference } = await charge();
    await setup.deliver(line(reference, { amount: 10_000, fee: 290 }));
    expect(await ledger()).to.deep.equal({
      bank: 9_710,
      processor_clearing: 0,
      processor_fees: 290,
    });
    expect(await findings()).to.deep.equal([]);
  });

  it('book the rest of a fee that is higher than what came with the outcome', async () => {
    setup.bank.fee = 100;
    const { id, reference } = await charge();
    setup.bank.fee = 13;
    const refund = await setup.post('/v1/refunds', { charge: id, amount: 3_000 }).expect(200);
    await setup.deliver(
      line(reference, { amount: 10_000, fee: 290 }),
      line(await referenceOf(refund.body.id), { amount: -3_000, fee: 20, kind: 'refund' }),
    );
    expect(await ledger()).to.deep.equal({
      bank: 9_710 - 3_020,
      processor_clearing: 0,
      processor_fees: 310,
    });
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('are shown if their fee is lower than what came with the outcome, which stays booked', async () => {
    setup.bank.fee = 290;
    const { id, reference } = await charge();
    await setup.deliver(line(reference, { amount: 10_000, fee: 250 }));
    expect(await ledger()).to.deep.equal({
      bank: 9_750,
      processor_clearing: -40,
      processor_fees: 290,
    });
    const [difference, ...others] = await differences();
    expect(others).to.deep.equal([]);
    expect(difference).to.deep.include({
      account: setup.account,
      kind: 'fee_differs',
      subject: id,
      currency: 'eur',
      expected: 290,
      found: 250,
      state: 'open',
    });
    const rule =
      'The fees that settlement lines of a charge or refund tell are booked, or a person has settled it.';
    expect(await findings()).to.deep.equal([[rule, '290', '250']]);
    await settle(difference);
    expect(await findings()).to.deep.equal([]);
  });

  it('that share a charge share its fee, whichever of them comes first', async () => {
    setup.bank.fee = 290;
    const { reference } = await charge();
    await setup.deliver(line(reference, { amount: 6_000, fee: 174 }));
    const told = async (state: string) =>
      (await differences(`?kind=fee_differs&state=${state}`)).map(({ found }) => found);
    expect(await told('open')).to.deep.equal([174]);
    await setup.deliver(line(reference, { amount: 4_000, fee: 126 }));
    expect(await ledger()).to.deep.equal({
      bank: 9_700,
      processor_clearing: 0,
      processor_fees: 300,
    });
    expect([await told('open'), await told('resolved')]).to.deep.equal([[], [174]]);
  });

  it('of a capture do not book the fee of its authorization again', async () => {
    setup.bank.fee = 11;
    const { id } = await charge({ capture: false });
    setup.bank.fee = 12;
    await setup.post(`/v1/charges/${id}/capture`).expect(200);
    const sql = `SELECT processor_reference AS name FROM paymount.operations
      WHERE subject_id = $1 AND kind = 'capture'`;
    const [captured] = await query<{ name: string }>(setup.databaseUrl, sql, [id]);
    await setup.deliver(line(captured?.name, { amount: 10_000, fee: 23 }));
    expect(await ledger()).to.deep.equal({
      bank: 9_977,
      processor_clearing: 0,
      processor_fees: 23,
    });
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('wait for the answer of a capture, which has its fee, if they name its authorization', async () => {
    const { id, reference } = await charge({ capture: false });
    const { bank } = setup;
    const capture = bank.capture.bind(bank);
    bank.fee = 290;
    bank.capture = async (operation) => {
      await capture(operation);
      throw new Error('The line was cut.');
    };
    await setup.post(`/v1/charges/${id}/capture`).expect(200);
    await setup.deliver(line(reference, { amount: 10_000, fee: 290 }));
    expect(await ledger()).to.deep.equal({});
    await setup.pass(61_000);
    await setup.pass(DAY);
    expect(await ledger()).to.deep.equal({
      bank: 9_710,
      processor_clearing: 0,
      processor_fees: 290,
    });
    expect(await differences('?state=open')).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('lower what the bank gets by refunds', async () => {
    const { id, reference } = await charge();
    const refund = await setup.post('/v1/refunds', { charge: id, amount: 3_000 }).expect(200);
    await setup.deliver(
      line(reference, { amount: 10_000 }),
      line(await referenceOf(refund.body.id), { amount: -3_000, kind: 'refund' }),
    );
    expect(await ledger()).to.deep.equal({ bank: 7_000, processor_clearing: 0 });
    await setup.pass(9 * DAY);
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('are booked as they are and shown, if their amount differs', async () => {
    const { id, reference } = await charge();
    const sent = line(reference, { amount: 9_900 });
    await setup.deliver(sent);
    expect(await ledger()).to.deep.equal({ bank: 9_900, processor_clearing: 100 });
    const [difference = {}] = await differences();
    expect(difference).to.deep.include({
      object: 'settlement_difference',
      account: setup.account,
      livemode: false,
      processor: 'watched',
      kind: 'amount_differs',
      line_id: sent.data.lineId,
      currency: 'eur',
      expected: 10_000,
      found: 9_900,
      state: 'open',
      note: null,
    });
    const rule =
      'A settlement line has an amount that its charge or refund moved or another line takes back, or a person has settled it.';
    expect(await findings()).to.deep.equal([[rule, '10000', '9900']]);
    const note = 'The bank keeps 1 euro; confirmed by phone.';
    const path = `/settlement_differences/${difference['id']}/settle`;
    const body = asShown(difference, note);
    const settled = await setup.admin(path, { body });
    expect(settled.json).to.include({ state: 'settled', note });
    expect(await findings()).to.deep.equal([]);
    expect(await differences()).to.deep.equal([]);
    expect((await differences('?state=settled&kind=amount_differs')).length).to.equal(1);
    const audit = await setup.admin('/audit?action=settlement_difference.settle');
    expect((audit.json['data'] as Json[])[0]).to.deep.include({
      target: difference['id'],
      after: {
        state: 'settled',
        kind: 'amount_differs',
        subject: difference['subject'],
        note,
        currency: 'eur',
        expected: 10_000,
        found: 9_900,
      },
    });
    const again = await setup.admin(path, { body });
    expect([again.status, again.error['code']]).to.deep.equal([400, 'status_transition_invalid']);
    // What is still owed is another difference, of the charge.
    await setup.pass(9 * DAY);
    expect((await differences()).map(({ kind, subject }) => [kind, subject])).to.deep.equal([
      ['not_settled', id],
    ]);
  });

  it('are kept and shown without an operation, and booked when it is known', async () => {
    const sent = line('nobody_yet', { amount: 10_000 });
    await setup.deliver(sent);
    expect(await ledger()).to.deep.equal({});
    const [difference] = await differences();
    expect(difference).to.deep.include({
      account: null,
      kind: 'no_operation',
      line_id: sent.data.lineId,
      expected: null,
      found: 10_000,
    });
    const [account] = [await setup.newAccount()];
    const some = await setup.token(['admin'], { accounts: [account] });
    const hidden = await setup.admin('/settlement_differences', { token: some });
    expect(hidden.json['data']).to.deep.equal([]);
    expect(await findings()).to.deep.equal([
      [
        'A settlement line belongs to an operation, or a person has settled it.',
        'an operation',
        'none',
      ],
    ]);
    const { id } = await charge();
    await query(
      setup.databaseUrl,
      `UPDATE paymount.operations SET processor_reference = 'nobody_yet' WHERE subject_id = '${id}'`,
    );
    await setup.pass(DAY);
    expect(await ledger()).to.deep.equal({ bank: 10_000, processor_clearing: 0 });
    expect((await differences('?state=resolved')).length).to.equal(1);
    expect(await findings()).to.deep.equal([]);
  });

  it('that cannot be booked are logged, and keep no other line or charge waiting', async () => {
    const names = ['nobody_1', 'nobody_2'];
    await setup.deliver(...names.map((name) => line(name, { amount: 10_000 })));
    // The one that comes first in the pass.
    const [broken] = await query<{ id: string; name: string }>(
      setup.databaseUrl,
      `SELECT id, processor_reference AS name FROM paymount.settlement_lines ORDER BY id LIMIT 1`,
    );
    const made = new Map<string | undefined, string>();
    for (const name of names) {
      const { id } = await charge();
      made.set(name, id);
      const sql = `UPDATE paymount.operations SET processor_reference = $1 WHERE subject_id = $2`;
      await query(setup.databaseUrl, sql, [name, id]);
    }
    await query(
      setup.databaseUrl,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'The disk is full.'; END $$;
       CREATE TRIGGER refuse BEFORE UPDATE ON paymount.settlement_lines FOR EACH ROW
         WHEN (OLD.id = '${broken?.id}') EXECUTE FUNCTION refuse()`,
    );
    setup.forget();
    await setup.pass(8 * DAY);
    expect(
      setup.errors.map(({ facts, sentence }) => [facts['settlement_line'], sentence]),
    ).to.deep.equal([
      [broken?.id, 'A settlement line could not be matched; Paymount tries again.'],
    ]);
    expect(await ledger()).to.deep.equal({ bank: 10_000, processor_clearing: 10_000 });
    const open = (await differences()).map(({ kind, subject }) => [kind, subject]);
    expect(open).to.have.deep.members([
      ['no_operation', broken?.id],
      ['not_settled', made.get(broken?.name)],
    ]);
    await query(setup.databaseUrl, 'DROP TRIGGER refuse ON paymount.settlement_lines');
    await setup.pass(DAY);
    expect(await ledger()).to.deep.equal({ bank: 20_000, processor_clearing: 0 });
    expect(await differences()).to.deep.equal([]);
  });

  it('are missed a week after a charge last changed, and then settle it', async () => {
    const before = await charge();
    await setup.pass(1_000);
    const settledOn = setup.clock.now().toISOString();
    await setup.deliver(line((await charge()).reference, { amount: 10_000, settledOn }));
    await setup.pass(1_000);
    const late = await charge();
    await setup.pass(6 * DAY);
    expect(await differences()).to.deep.equal([]);
    await setup.pass(2 * DAY);
    const [difference, ...others] = await differences();
    expect(others, `not ${before.id}, from before the first line`).to.deep.equal([]);
    expect(difference).to.include({
      kind: 'not_settled',
      subject: late.id,
      expected: 10_000,
      found: 0,
    });
    expect(await findings()).to.deep.equal([[NOT_SETTLED, '10000', '0']]);
    await setup.deliver(line(late.reference, { amount: 10_000 }));
    await setup.pass(DAY);
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  /** A first line of the processor: from then on its charges are expected to be settled. */
  const begin = async (): Promise<void> => {
    const settledOn = setup.clock.now().toISOString();
    await setup.deliver(line((await charge()).reference, { amount: 10_000, settledOn }));
    await setup.pass(1_000);
  };

  it('are missed for a bank debit, a week after it has cleared', async () => {
    await begin();
    const debit = { amount: 5_000, currency: 'usd', payment_method: 'pm_usBankAccount_processing' };
    const { body } = await setup.post('/v1/charges', debit).expect(200);
    await setup.pass(5 * DAY);
    const settled = { kind: 'charge.settled', data: { amount: 5_000, currency: 'usd' } };
    await setup.deliver({ ...settled, processorReference: body.processor.reference });
    await setup.pass(6 * DAY);
    expect(await differences()).to.deep.equal([]);
    await setup.pass(2 * DAY);
    const found = { kind: 'not_settled', subject: body.id, expected: 5_000, found: 0 };
    expect((await differences()).map(factsOf)).to.deep.equal([found]);
  });

  it('are missed for a refund of a charge that was settled long ago', async () => {
    await begin();
    const { id, reference } = await charge();
    await setup.deliver(line(reference, { amount: 10_000 }));
    await setup.pass(30 * DAY);
    await setup.post('/v1/refunds', { charge: id, amount: 3_000 }).expect(200);
    await setup.pass(6 * DAY);
    expect(await differences()).to.deep.equal([]);
    await setup.pass(2 * DAY);
    const found = { kind: 'not_settled', subject: id, expected: 7_000, found: 10_000 };
    expect((await differences()).map(factsOf)).to.deep.equal([found]);
  });

  /** A charge that no line settles, a day after it is missed. */
  const missed = async (): Promise<{ id: string; reference: string }> => {
    await begin();
    const sold = await charge();
    await setup.pass(8 * DAY);
    return sold;
  };

  it('are missed again after a person settled it, once other amounts differ', async () => {
    const { id } = await missed();
    const [first] = await differences();
    await settle(first);
    await setup.pass(DAY);
    expect(await differences(), 'the same amounts stay settled').to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
    await setup.post('/v1/refunds', { charge: id, amount: 3_000 }).expect(200);
    await setup.pass(8 * DAY);
    const [again] = await differences();
    expect(again).to.include({ subject: id, expected: 7_000, found: 0, state: 'open', note: null });
    expect(await findings()).to.have.deep.members([[NOT_SETTLED, '7000', '0']]);
    await settle(again);
    await setup.pass(DAY);
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('that come after a person settled it open it again, unless they settle all', async () => {
    const { id, reference } = await missed();
    await settle((await differences())[0]);
    await setup.pass(20 * DAY);
    await setup.deliver(line(reference, { amount: 4_000 }));
    await settle((await differences('?kind=amount_differs'))[0]);
    await setup.pass(DAY);
    const found = { kind: 'not_settled', subject: id, expected: 10_000, found: 4_000 };
    expect((await differences()).map(factsOf)).to.deep.equal([found]);
    expect(await findings()).to.deep.equal([[NOT_SETTLED, '10000', '4000']]);
    await setup.deliver(line(reference, { amount: 6_000 }));
    await settle((await differences('?kind=amount_differs'))[0]);
    await setup.pass(DAY);
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('that come while it is open are in what a person settles', async () => {
    const { id, reference } = await missed();
    await setup.pass(20 * DAY);
    await setup.deliver(line(reference, { amount: 4_000 }));
    await setup.pass(DAY);
    const [part, rest] = await differences();
    const found = { kind: 'not_settled', subject: id, expected: 10_000, found: 4_000 };
    expect([part, rest].map((each) => each && factsOf(each))).to.deep.include(found);
    await settle(part);
    await settle(rest);
    await setup.pass(DAY);
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('say which object they wait for or repeat, and what helps', async () => {
    const reasons = async (): Promise<readonly unknown[]> =>
      ((await setup.admin('/notices?kind=settlement_line&state=any')).json['data'] as Json[])
        .map(({ reason }) => reason)
        .filter((reason) => reason !== null);
    const operationOf = async (source: string): Promise<string | undefined> => {
      const { body } = await setup.post('/v1/charges', { ...SALE, source });
      const sql = `SELECT id FROM paymount.operations WHERE subject_id = $1`;
      return (await query<{ id: string }>(setup.databaseUrl, sql, [body.id]))[0]?.id;
    };
    const about = async (operationId: string | undefined): Promise<readonly unknown[]> => {
      const before = await reasons();
      await setup.deliver({ ...line(undefined, { amount: 10_000 }), operationId });
      return (await reasons()).filter((reason) => !before.includes(reason));
    };
    const unknown = await operationOf('tok_timeout_approved');
    expect(await about(unknown)).to.deep.equal([
      `Operation ${unknown} has no outcome yet; a look-up or a person must find it first.`,
    ]);
    const quarantined = await operationOf('tok_amount_tampered');
    expect(await about(quarantined)).to.deep.equal([
      `Operation ${quarantined} waits for a person too; settle it first.`,
    ]);
    const sold = line((await charge()).reference, { amount: 9_000 });
    await setup.deliver(sold);
    await setup.deliver(sold);
    expect(await reasons()).to.include(
      `Line ${sold.data.lineId} was recorded before, and is booked once. Another line needs another lineId.`,
    );
    const [difference = {}] = await differences();
    await settle(difference);
    const path = `/settlement_differences/${difference['id']}/settle`;
    const again = await setup.admin(path, { body: asShown(difference) });
    expect(again.error['message']).to.equal(
      `Settlement difference ${difference['id']} is settled; only an open one can be settled. ` +
        'It opens again by itself when other amounts differ.',
    );
  });

  it('come in files too, and are left out the second time', async () => {
    const { reference } = await charge();
    const sent = { noticeId: 'file_1', occurredAt: setup.clock.now().toISOString() };
    const text = JSON.stringify({ ...sent, ...line(reference, { amount: 10_000 }) });
    const file = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${text}\n`);
    };
    expect(await setup.paymount.ingest('test', file())).to.include({ notices: 1, recorded: 1 });
    await setup.paymount.ingest('test', file());
    await setup.worker.drain();
    expect(await ledger()).to.deep.equal({ bank: 10_000, processor_clearing: 0 });
  });
});
