import { expect } from 'chai';
import type { Test } from 'supertest';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { OPERATOR, type OperatorSetup, startOperatorSetup } from '../support/operator-setup.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

interface OperationRow {
  readonly id: string;
  readonly state: string;
}

async function findOperation(setup: OperatorSetup, subject: string): Promise<OperationRow> {
  const rows = await query<OperationRow>(
    setup.databaseUrl,
    'SELECT id, state FROM paymount.operations WHERE subject_id = $1 ORDER BY id DESC LIMIT 1',
    [subject],
  );
  if (rows[0] === undefined) throw new Error(`${subject} has no operation`);
  return rows[0];
}

/** Status, code, and whether a client is told to try again. */
async function refusal(asked: Test): Promise<readonly unknown[]> {
  const { status, body, headers } = await asked;
  return [status, body.error?.code, headers['retry-after'], headers['stripe-should-retry']];
}

const UNDER_REVIEW = [409, 'operation_under_review', undefined, 'false'];

describe('An operation that a person must look at', () => {
  let setup: OperatorSetup;

  before(async () => {
    setup = await startOperatorSetup();
  });
  after(() => setup.close());
  beforeEach(() => setup.forget());
  afterEach(() => {
    setup.bank.difference = 0;
  });

  const authorized = async (): Promise<string> =>
    (await setup.post('/v1/charges', { ...SALE, capture: false }).expect(200)).body.id;

  async function wronglyCaptured(): Promise<string> {
    const charge = await authorized();
    setup.bank.difference = 100;
    const { status, body } = await setup.post(`/v1/charges/${charge}/capture`);
    setup.bank.difference = 0;
    expect([status, body.status]).to.deep.equal([200, 'authorized']);
    return charge;
  }

  it('is one error line and one mail to the operator when the processor approved another amount', async () => {
    const charge = await wronglyCaptured();
    const { id, state } = await findOperation(setup, charge);
    expect(state).to.equal('quarantined');
    expect(setup.errors).to.deep.equal([
      {
        facts: {
          operation: id,
          kind: 'capture',
          subject: charge,
          account: setup.account,
          environment: 'test',
          cause: 'contradiction',
        },
        sentence:
          'An operation waits for a person: the processor approved another amount or currency.',
      },
    ]);
    await setup.pass(MINUTE);
    await setup.pass(MINUTE);
    expect(setup.mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [OPERATOR, `A test capture of ${charge} waits for you`],
    ]);
    expect(setup.mails[0]?.text).to.include('Environment: test\n');
    expect(setup.mails[0]?.text).to.include(id).and.include('100.00 EUR').and.include('101.00 EUR');
  });

  it('refuses changes that it blocks, without asking for an immediate retry', async () => {
    const charge = await wronglyCaptured();
    expect(await refusal(setup.post(`/v1/charges/${charge}/capture`))).to.deep.equal(UNDER_REVIEW);
    expect(await refusal(setup.post(`/v1/charges/${charge}/cancel`))).to.deep.equal(UNDER_REVIEW);
    expect(await refusal(setup.post('/v1/refunds', { charge }))).to.deep.equal(UNDER_REVIEW);
  });

  it('keeps an authorization from expiring, and shows the merchant why', async () => {
    const charge = await wronglyCaptured();
    await setup.pass(8 * DAY);
    expect((await setup.get(`/v1/charges/${charge}`)).body.status).to.equal('authorized');
    expect(await refusal(setup.post(`/v1/charges/${charge}/capture`))).to.deep.equal(UNDER_REVIEW);
  });

  it('is one error line and one mail after the last look-up, however many workers ask at once', async () => {
    const { body } = await setup.post('/v1/charges', { ...SALE, source: 'tok_unknown_forever' });
    const { id } = await findOperation(setup, body.id);
    const { resolver, stores } = partsOf(setup.paymount);
    const owner = { accountId: setup.account, environment: 'test' } as const;
    const found = async () => {
      const [page] = (
        await stores.directory.operations.list(
          { accounts: 'all', environments: ['test'] },
          { state: 'any' },
          { limit: 100 },
        )
      ).data.filter((each) => each.id === id);
      if (page === undefined) throw new Error('it is lost');
      return page;
    };
    const untilNextLookup = async (): Promise<number> =>
      ((await found()).nextLookupAt?.getTime() ?? 0) - setup.clock.now().getTime();
    while ((await found()).lookups < 10) await setup.pass(await untilNextLookup());
    expect(setup.errors).to.deep.equal([]);
    setup.clock.advance(await untilNextLookup());
    const operation = await found();
    await Promise.all(Array.from({ length: 20 }, () => resolver.resume(owner, operation.id)));
    expect((await found()).state).to.equal('quarantined');
    await setup.pass(MINUTE);
    expect(setup.errors.map(({ facts }) => [facts['operation'], facts['cause']])).to.deep.equal([
      [id, 'no_answer'],
    ]);
    expect(setup.mails.map(({ subject }) => subject)).to.deep.equal([
      `A test authorization of ${body.id} waits for you`,
    ]);
    await setup.pass(30 * DAY);
    expect(setup.mails).to.have.length(1);
  });
});

describe('An operation that stays pending at the processor', () => {
  let setup: OperatorSetup;
  const DEBIT = {
    amount: 5_000,
    currency: 'usd',
    payment_method: 'pm_usBankAccount_processing',
  };

  before(async () => {
    setup = await startOperatorSetup();
  });
  after(() => setup.close());
  beforeEach(() => setup.forget());
  afterEach(() => {
    setup.bank.found = undefined;
  });

  const pending = (expectedBy: Date): void => {
    setup.bank.found = {
      outcome: 'pending',
      processorReference: 'ref_1',
      expectedBy: expectedBy.toISOString(),
    };
  };

  it('is told to the operator once, after the processor has put it off for the whole schedule', async () => {
    const { body } = await setup.post('/v1/charges', DEBIT).expect(200);
    const { id } = await findOperation(setup, body.id);
    for (let day = 1; day <= 9; day += 1) await setup.pass(DAY);
    expect((await findOperation(setup, body.id)).state).to.equal('unknown');
    for (let day = 10; day <= 20; day += 1) await setup.pass(DAY);
    expect((await findOperation(setup, body.id)).state).to.equal('quarantined');
    expect(setup.errors.map(({ facts }) => [facts['operation'], facts['cause']])).to.deep.equal([
      [id, 'no_answer'],
    ]);
    expect(setup.mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [OPERATOR, `A test authorization of ${body.id} waits for you`],
    ]);
    expect(setup.mails[0]?.text).to.include('Answer: pending, reference');
    const listed = await setup.admin('/operations');
    expect((listed.json['data'] as { id: string }[]).map((each) => each.id)).to.deep.equal([id]);
    const settled = await setup.admin(`/operations/${id}/settle`, {
      body: { as: 'declined', reason: 'The bank says so.' },
    });
    expect(settled.status).to.equal(200);
    expect((await setup.get(`/v1/charges/${body.id}`)).body).to.include({
      status: 'failed',
      failure_code: 'bank_account_declined',
      failure_message: 'The bank refused the debit.',
    });
  });

  it('waits for a promise that stays the same, however far it is', async () => {
    const { body } = await setup.post('/v1/charges', DEBIT).expect(200);
    pending(new Date(setup.clock.now().getTime() + 20 * DAY));
    // The first answer of this bank had promised a day.
    for (let day = 1; day <= 19; day += 1) await setup.pass(DAY);
    expect((await findOperation(setup, body.id)).state).to.equal('unknown');
    expect(setup.mails).to.deep.equal([]);
    setup.bank.found = {
      outcome: 'approved',
      processorReference: body.processor.reference,
      amount: 5_000,
      currency: 'usd',
    };
    await setup.pass(DAY);
    expect((await setup.get(`/v1/charges/${body.id}`)).body.status).to.equal('succeeded');
  });

  it('is asked ever less often, if it is put off by a minute each time', async () => {
    const { body } = await setup.post('/v1/charges', DEBIT).expect(200);
    const soon = () => pending(new Date(setup.clock.now().getTime() + MINUTE));
    soon();
    await setup.pass(DAY);
    const asked = () => setup.bank.calls.filter(({ kind }) => kind === 'lookup').length;
    const before = asked();
    for (let minute = 1; minute <= 60; minute += 1) {
      soon();
      await setup.pass(MINUTE);
    }
    expect(asked() - before)
      .to.be.at.least(1)
      .and.at.most(4);
    expect((await findOperation(setup, body.id)).state).to.equal('unknown');
  });
});

describe('An approval that arrives after its operation was closed', () => {
  let setup: OperatorSetup;

  before(async () => {
    setup = await startOperatorSetup({ idempotentSubmit: false });
  });
  after(() => setup.close());

  it('changes nothing, and is kept, logged and mailed', async () => {
    const release = setup.bank.hold();
    setup.bank.found = 'not_found';
    const paying = setup.post('/v1/charges', SALE).then((answer) => answer);
    await eventually(() => setup.bank.calls.some(({ kind }) => kind === 'authorize'));
    await setup.pass(41 * SECOND);
    await setup.pass(5 * MINUTE + SECOND);
    const { body: list } = await setup.get('/v1/charges').expect(200);
    const [charge] = list.data;
    expect(charge.status).to.equal('failed');
    expect(setup.errors).to.deep.equal([]);
    release();
    await paying;
    const { id, state } = await findOperation(setup, charge.id);
    expect(state).to.equal('failed');
    expect((await setup.get(`/v1/charges/${charge.id}`)).body.status).to.equal('failed');
    expect(setup.errors.map(({ facts }) => [facts['operation'], facts['cause']])).to.deep.equal([
      [id, 'late_answer'],
    ]);
    await setup.pass(MINUTE);
    expect(setup.mails.map(({ subject }) => subject)).to.deep.equal([
      `A test authorization of ${charge.id} was answered after it was closed`,
    ]);
    const { json } = await setup.admin(`/operations/${id}`);
    expect(json).to.deep.include({ state: 'failed', subject: charge.id });
    expect(json['review']).to.include({ cause: 'late_answer' });
    const [answer] = json['answers'] as Record<string, unknown>[];
    expect(answer).to.deep.include({ source: 'processor' });
    expect(answer?.['answer']).to.include({ outcome: 'approved', amount: 10_000, currency: 'eur' });
    const differences = await setup.paymount.verify();
    expect(differences.map(({ subject, found }) => [subject, found])).to.deep.equal([
      [id, 'answered late'],
    ]);
    const body = { reason: 'The bank paid it back.' };
    expect((await setup.admin(`/operations/${id}/dismiss`, { body })).status).to.equal(200);
    expect((await setup.admin('/operations')).json['data']).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  it('is kept as well when a person had closed it', async () => {
    setup.forget();
    setup.bank.found = undefined;
    const calls = setup.bank.calls.length;
    const release = setup.bank.hold();
    const paying = setup.post('/v1/charges', SALE).then((answer) => answer);
    await eventually(() => setup.bank.calls.slice(calls).some(({ kind }) => kind === 'authorize'));
    setup.clock.advance(31 * SECOND);
    const { json } = await setup.admin('/operations?state=sent');
    const [operation] = json['data'] as { id: string; charge: string }[];
    const body = { as: 'declined', reason: 'The bank knew nothing of it.' };
    const id = String(operation?.id);
    expect((await setup.admin(`/operations/${id}/settle`, { body })).status).to.equal(200);
    expect(setup.errors).to.deep.equal([]);
    release();
    expect((await paying).status).to.be.oneOf([200, 402]);
    const shown = (await setup.admin(`/operations/${id}`)).json;
    expect([shown['state'], (shown['review'] as { cause: string }).cause]).to.deep.equal([
      'done',
      'late_answer',
    ]);
    expect((shown['answers'] as { source: string }[]).map(({ source }) => source)).to.deep.equal([
      'operator',
      'processor',
    ]);
    expect(setup.errors.map(({ facts }) => facts['cause'])).to.deep.equal(['late_answer']);
    expect((await setup.get(`/v1/charges/${operation?.charge}`)).body.status).to.equal('failed');
  });
});

describe('An operation whose result cannot be recorded', () => {
  let setup: OperatorSetup;

  before(async () => {
    setup = await startOperatorSetup();
    // Stands for whatever keeps a result from being committed.
    await query(
      setup.databaseUrl,
      `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'It is not recorded.'; END $$;
       CREATE TRIGGER refuse BEFORE UPDATE ON paymount.charges FOR EACH ROW
         WHEN (NEW.status = 'succeeded') EXECUTE FUNCTION public.refuse()`,
    );
  });
  after(() => setup.close());

  it('is tried ten times in five days; then a person sees it, with the answer of the processor', async () => {
    const { status, body } = await setup.post('/v1/charges', SALE);
    expect([status, body.status]).to.deep.equal([200, 'pending']);
    const { id } = await findOperation(setup, body.id);
    await setup.pass(2 * DAY);
    expect((await findOperation(setup, body.id)).state).to.equal('unknown');
    for (let day = 0; day < 12; day += 1) await setup.pass(DAY);
    expect((await findOperation(setup, body.id)).state).to.equal('quarantined');
    expect(setup.mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [OPERATOR, `A test authorization of ${body.id} waits for you`],
    ]);
    expect(setup.mails[0]?.text)
      .to.include('could not be recorded')
      .and.include('Answer: approved');
    const asked = setup.errors.length;
    expect(asked).to.be.below(20);
    await setup.pass(30 * DAY);
    expect(setup.errors).to.have.length(asked);
    const shown = (await setup.admin(`/operations/${id}`)).json as {
      outcome: { outcome: string };
      review: { cause: string };
    };
    expect([shown.review.cause, shown.outcome.outcome]).to.deep.equal(['unrecorded', 'approved']);
  });

  it('is settled when the cause is repaired', async () => {
    await query(setup.databaseUrl, 'DROP TRIGGER refuse ON paymount.charges');
    const { json } = await setup.admin('/operations');
    const [operation] = json['data'] as {
      id: string;
      subject: string;
      outcome: { processor_reference: string };
    }[];
    const reference = operation?.outcome.processor_reference;
    const settled = await setup.admin(`/operations/${String(operation?.id)}/settle`, {
      body: { as: 'approved', processor_reference: reference, reason: 'The bank has it.' },
    });
    expect(settled.status, settled.text).to.equal(200);
    const { body } = await setup.get(`/v1/charges/${String(operation?.subject)}`);
    expect(body.status).to.equal('succeeded');
  });
});
