import { parseId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { Reply } from '../support/ask.ts';
import { type ChargeResult, ofCharges } from '../support/charge-hook.ts';
import { query } from '../support/database.ts';
import { ODD_VALUES } from '../support/odd-values.ts';
import { type OperatorSetup, startOperatorSetup } from '../support/operator-setup.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
const REASON = 'The bank confirmed it by telephone.';

type Json = Readonly<Record<string, unknown>>;

describe('Settling an operation by hand', () => {
  let setup: OperatorSetup;
  /** What the host's hook does; tests replace it. */
  let hook: (settled: ChargeResult) => Promise<void> = async () => undefined;

  before(async () => {
    setup = await startOperatorSetup({ hook: ofCharges((_, settled) => hook(settled)) });
  });
  after(() => setup.close());
  afterEach(async () => {
    hook = async () => undefined;
    setup.bank.difference = 0;
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const charge = async (id: string): Promise<Json> => (await setup.get(`/v1/charges/${id}`)).body;

  const list = async (query = ''): Promise<readonly Json[]> =>
    (await setup.admin(`/operations${query}`)).json['data'] as Json[];

  const waitingFor = async (subject: string): Promise<string> => {
    const [operation] = await list(`?subject=${subject}`);
    return String(operation?.['id']);
  };

  const settle = (id: string, body: object): Promise<Reply> =>
    setup.admin(`/operations/${id}/settle`, { body: { reason: REASON, ...body } });

  const listEvents = async (id: string): Promise<readonly string[]> => {
    const { body } = await setup.get('/v1/events?limit=100').expect(200);
    return body.data
      .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
      .map((event: { type: string }) => event.type);
  };

  /** A charge whose capture, or sale, the bank answered with one euro more. */
  async function contradicted(kind: 'capture' | 'sale'): Promise<{ charge: string; id: string }> {
    if (kind === 'sale') setup.bank.difference = 100;
    const made = await setup.post('/v1/charges', { ...SALE, capture: kind === 'sale' }).expect(200);
    setup.bank.difference = 100;
    if (kind === 'capture') await setup.post(`/v1/charges/${made.body.id}/capture`).expect(200);
    setup.bank.difference = 0;
    return { charge: made.body.id, id: await waitingFor(made.body.id) };
  }

  it('is asked for in a list, a single object, the health and the metrics', async () => {
    const before = await setup.admin('/health');
    const { charge: subject, id } = await contradicted('capture');
    const [first] = await list();
    expect(first).to.deep.include({
      id,
      object: 'operation',
      kind: 'capture',
      state: 'quarantined',
    });
    expect(first).not.to.have.property('answers');
    const { json } = await setup.admin(`/operations/${id}`);
    expect(json).to.deep.include({
      account: setup.account,
      livemode: false,
      subject,
      charge: subject,
      amount: 10_000,
      currency: 'eur',
      attempt: 1,
      lookups: 0,
      processor: 'watched',
    });
    expect(json['review']).to.include({ cause: 'contradiction' });
    expect(json['outcome']).to.include({ outcome: 'approved', amount: 10_100 });
    const answers = json['answers'] as Json[];
    expect(answers.map(({ source, reason }) => [source, reason])).to.deep.equal([
      ['processor', null],
    ]);
    expect(answers[0]?.['answer']).to.include({ outcome: 'approved', amount: 10_100 });
    setup.clock.advance(90 * SECOND);
    const health = (await setup.admin('/health')).json;
    expect([before.json['status'], health['status']]).to.deep.equal(['ok', 'ok']);
    const { live, test } = health['operations'] as Record<string, Record<string, number>>;
    expect(live).to.deep.equal({ under_review: 0, hook_waits: 0, oldest_ms: null });
    expect(test?.['under_review']).to.equal(1);
    expect(test?.['oldest_ms']).to.be.within(90_000, 100_000);
    const metrics = await setup.admin('/metrics');
    expect(metrics.headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(metrics.text).to.include('\npaymount_operations_under_review{environment="live"} 0\n');
    expect(metrics.text).to.include('\npaymount_operations_under_review{environment="test"} 1\n');
    expect(metrics.text).to.match(
      /\npaymount_operations_under_review_oldest_seconds\{environment="live"\} 0\n.*="test"\} 9\d(\.\d+)?\n/,
    );
    await settle(id, { as: 'declined' });
    expect((await setup.admin('/health')).json['operations']).to.deep.equal({
      live: { under_review: 0, hook_waits: 0, oldest_ms: null },
      test: { under_review: 0, hook_waits: 0, oldest_ms: null },
    });
    expect(await list()).to.deep.equal([]);
  });

  it('makes the health degraded when it is a live one, and says so apart from those of test', async () => {
    const { id } = await contradicted('capture');
    // The setup has no live processor: a copy stands as that of a live charge would.
    const copy = `SET session_replication_role = replica;
      INSERT INTO paymount.operations SELECT (jsonb_populate_record(o,
        '{"livemode":true,"subject_id":"ch_live","charge_id":"ch_live"}')).*
      FROM paymount.operations o WHERE id = '${id}'`;
    await query(setup.databaseUrl, copy, []);
    const { json } = await setup.admin('/health');
    await query(setup.databaseUrl, 'DELETE FROM paymount.operations WHERE livemode', []);
    await settle(id, { as: 'declined' });
    const { live, test } = json['operations'] as Record<string, Record<string, number>>;
    expect([json['status'], live?.['under_review'], test?.['under_review']]).to.deep.equal([
      'degraded',
      1,
      1,
    ]);
    expect((await setup.admin('/health')).json['status']).to.equal('ok');
  });

  it('lists others by state, kind, processor, subject and time, and returns 400 for an unknown filter', async () => {
    const { body: paid } = await setup.post('/v1/charges', SALE).expect(200);
    const [operation] = await list(`?state=any&subject=${paid.id}`);
    expect(operation).to.include({ state: 'done', kind: 'authorize', review: null });
    for (const [query, found] of [
      ['state=done&kind=authorize&processor=watched', 1],
      ['state=done&kind=refund', 0],
      ['state=failed', 0],
      ['state=any&processor=other', 0],
      ['state=any&livemode=true', 0],
      ['state=any&created[gte]=2000-01-01T00:00:00Z', 1],
      ['state=any&created[lt]=2000-01-01T00:00:00Z', 0],
    ] as const) {
      const listed = await list(`?${query}&subject=${paid.id}`);
      expect(listed, query).to.have.length(found);
    }
    for (const query of ['state=open', 'kind=void', 'status=done', 'account=acct_1']) {
      expect((await setup.admin(`/operations?${query}`)).status, query).to.equal(400);
    }
  });

  it('as approved books what was asked, tells the host and the merchant, and leaves its reason', async () => {
    const told: string[] = [];
    const { charge: subject, id } = await contradicted('capture');
    hook = async (settled) => void told.push(`${settled.kind} ${settled.charge.status}`);
    const { status, json } = await settle(id, { as: 'approved' });
    expect(status).to.equal(200);
    expect(json).to.deep.include({ state: 'done', review: null, amount: 10_000 });
    expect(json['outcome']).to.include({ outcome: 'approved', amount: 10_000 });
    expect(await charge(subject)).to.include({ status: 'succeeded', amount_captured: 10_000 });
    expect(told).to.deep.equal(['charge succeeded']);
    expect(await listEvents(subject)).to.deep.equal(['charge.captured']);
    const shown = (await setup.admin(`/operations/${id}`)).json['answers'] as Json[];
    expect(shown.map(({ source, reason }) => [source, reason])).to.deep.equal([
      ['processor', null],
      ['operator', REASON],
    ]);
    const audit = (await setup.admin(`/audit?target=${id}`)).json['data'] as Json[];
    expect(audit).to.have.length(1);
    expect(audit[0]).to.deep.include({
      action: 'operation.settle',
      account: setup.account,
      before: { state: 'quarantined' },
      after: { state: 'done', as: 'approved', amount: 10_000, reason: REASON },
    });
    const again = await settle(id, { as: 'declined' });
    expect([again.status, again.error['code'], again.error['message']]).to.deep.equal([
      409,
      'operation_not_open',
      `Operation ${id} is done; it is already settled.`,
    ]);
  });

  it('as approved of less books what was captured', async () => {
    for (const kind of ['capture', 'sale'] as const) {
      const { charge: subject, id } = await contradicted(kind);
      const more = await settle(id, { as: 'approved', amount: 10_001 });
      expect([more.status, more.error['param']], kind).to.deep.equal([400, 'amount']);
      expect((await settle(id, { as: 'approved', amount: 9_000 })).status, kind).to.equal(200);
      expect(await charge(subject), kind).to.include({
        status: 'succeeded',
        amount: 10_000,
        amount_captured: 9_000,
      });
    }
  });

  it('as approved of another amount is refused for an authorization, which is whole or not at all', async () => {
    setup.bank.difference = 100;
    const { body } = await setup.post('/v1/charges', { ...SALE, capture: false });
    setup.bank.difference = 0;
    const id = await waitingFor(body.id);
    const { status, error } = await settle(id, { as: 'approved', amount: 9_000 });
    expect([status, error['param'], error['message']]).to.deep.equal([
      400,
      'amount',
      'amount of this authorization must be 10000, the requested amount.',
    ]);
    expect((await settle(id, { as: 'approved' })).status).to.equal(200);
    expect(await charge(body.id)).to.include({ status: 'authorized', amount: 10_000 });
  });

  it('as declined or not executed leaves an authorization to be captured again, or to expire', async () => {
    for (const as of ['declined', 'not_executed']) {
      const { charge: subject, id } = await contradicted('capture');
      expect((await settle(id, { as })).json['state']).to.equal(
        as === 'declined' ? 'done' : 'failed',
      );
      expect(await charge(subject)).to.include({ status: 'authorized' });
      await setup.post(`/v1/charges/${subject}/capture`).expect(200);
      expect(await charge(subject)).to.include({ status: 'succeeded' });
    }
    const { charge: subject, id } = await contradicted('capture');
    await setup.pass(8 * DAY);
    expect(await charge(subject)).to.include({ status: 'authorized' });
    await settle(id, { as: 'not_executed' });
    await setup.pass(MINUTE);
    expect(await charge(subject)).to.include({
      status: 'failed',
      failure_code: 'charge_expired_for_capture',
    });
  });

  it('of a sale fails the charge, and of a refund gives the merchant the money back', async () => {
    const sale = await contradicted('sale');
    await settle(sale.id, { as: 'not_executed' });
    expect(await charge(sale.charge)).to.include({
      status: 'failed',
      failure_code: 'processor_error',
    });
    expect(await listEvents(sale.charge)).to.deep.equal(['charge.failed']);
    const { body: paid } = await setup.post('/v1/charges', SALE).expect(200);
    setup.bank.difference = 100;
    const { body: refund } = await setup.post('/v1/refunds', { charge: paid.id, amount: 4_000 });
    setup.bank.difference = 0;
    expect(refund.status).to.equal('pending');
    const id = await waitingFor(refund.id);
    const less = await settle(id, { as: 'approved', amount: 3_000 });
    expect([less.status, less.error['message']]).to.deep.equal([
      400,
      'amount of this refund must be 4000, the requested amount.',
    ]);
    await settle(id, { as: 'declined' });
    expect((await setup.get(`/v1/refunds/${refund.id}`)).body).to.include({ status: 'failed' });
    expect(await charge(paid.id)).to.include({ amount_refunded: 0 });
  });

  it('by twenty admins at once happens once', async () => {
    const { charge: subject, id } = await contradicted('capture');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        settle(id, { as: index % 2 === 0 ? 'approved' : 'declined' }),
      ),
    );
    const codes = answers.map(({ status, error }) => `${status} ${String(error['code'] ?? '')}`);
    expect(codes.filter((code) => code === '200 ')).to.have.length(1);
    expect(codes.filter((code) => code === '409 operation_not_open')).to.have.length(19);
    const { json } = await setup.admin(`/operations/${id}`);
    expect(json['answers']).to.have.length(2);
    const captured = (json['outcome'] as Json)['outcome'] === 'approved';
    expect(await charge(subject)).to.include({ status: captured ? 'succeeded' : 'authorized' });
    expect((await setup.admin(`/audit?target=${id}`)).json['data']).to.have.length(1);
  });

  it('against twenty look-ups at once is booked by one of them, and what differs is shown', async () => {
    const { resolver } = partsOf(setup.paymount);
    const owner = { accountId: setup.account, environment: 'test' } as const;
    for (let round = 0; round < 3; round += 1) {
      const { body } = await setup.post('/v1/charges', { ...SALE, source: 'tok_timeout_approved' });
      const [operation] = await list(`?state=any&subject=${body.id}`);
      const id = parseId('op', String(operation?.['id']));
      if (id === undefined) throw new Error('It has no operation.');
      setup.clock.advance(41 * SECOND);
      const looked = Array.from({ length: 20 }, () => resolver.resume(owner, id));
      const settled = settle(id, { as: 'declined' });
      await Promise.all(looked);
      const { status } = await settled;
      expect(status).to.be.oneOf([200, 409]);
      const isDeclined = status === 200;
      expect((await charge(body.id))['status']).to.equal(isDeclined ? 'failed' : 'succeeded');
      const types = [isDeclined ? 'charge.failed' : 'charge.succeeded'];
      expect(await listEvents(body.id)).to.deep.equal(types);
      const { review } = (await setup.admin(`/operations/${id}`)).json;
      if (review !== null) {
        expect(isDeclined).to.equal(true);
        const dismissed = await setup.admin(`/operations/${id}/dismiss`, {
          body: { reason: REASON },
        });
        expect(dismissed.status).to.equal(200);
      }
    }
  });

  it('writes nothing when the hook refuses, says so, and works once the hook is ready', async () => {
    const { charge: subject, id } = await contradicted('capture');
    hook = async () => {
      throw new Error('the shop is not ready');
    };
    const { status, error, headers } = await settle(id, { as: 'approved' });
    expect([status, error['code'], headers['retry-after']]).to.deep.equal([
      409,
      'hook_refused',
      undefined,
    ]);
    const { json } = await setup.admin(`/operations/${id}`);
    expect(json).to.include({ state: 'quarantined' });
    expect(json['answers']).to.have.length(1);
    expect(await charge(subject)).to.include({ status: 'authorized' });
    expect((await setup.admin(`/audit?target=${id}`)).json['data']).to.deep.equal([]);
    hook = async () => undefined;
    expect((await settle(id, { as: 'approved' })).status).to.equal(200);
  });

  for (const [what, value] of ODD_VALUES) {
    it(`says that the hook refused when it throws ${what}`, async () => {
      const { id } = await contradicted('capture');
      hook = async () => {
        throw value;
      };
      const { status, error } = await settle(id, { as: 'approved' });
      expect([status, error['code']]).to.deep.equal([409, 'hook_refused']);
      hook = async () => undefined;
      expect((await settle(id, { as: 'approved' })).status).to.equal(200);
    });
  }

  it('needs a reference for what the processor never named, and a reason for everything', async () => {
    const { body } = await setup.post('/v1/charges', { ...SALE, source: 'tok_unknown_forever' });
    const [operation] = await list(`?state=any&subject=${body.id}`);
    const id = String(operation?.['id']);
    const early = await settle(id, { as: 'declined' });
    expect([early.status, early.error['code']]).to.deep.equal([409, 'operation_not_open']);
    expect(early.error['message']).to.match(
      /may still be answered; it can be settled from 20.*Z on/,
    );
    setup.clock.advance(31 * SECOND);
    for (const [sent, param] of [
      [{ as: 'approved' }, 'processor_reference'],
      [{ as: 'declined', processor_reference: 'p_1' }, 'processor_reference'],
      [{ as: 'declined', amount: 1 }, 'amount'],
      [{ as: 'paid' }, 'as'],
      [{ as: 'declined', reason: '' }, 'reason'],
      [{ as: 'declined', reason: undefined }, 'reason'],
      [{ as: 'declined', note: 'x' }, 'note'],
    ] as const) {
      const { status, error } = await settle(id, sent);
      expect([status, error['param']], JSON.stringify(sent)).to.deep.equal([400, param]);
    }
    const settled = await settle(id, { as: 'approved', processor_reference: ' p_1 ' });
    expect(settled.json).to.include({ state: 'done', processor_reference: 'p_1' });
    const lookups = () => setup.bank.calls.filter(({ kind }) => kind === 'lookup').length;
    const asked = lookups();
    await setup.pass(DAY);
    expect(lookups()).to.equal(asked);
    expect(await charge(body.id)).to.include({ status: 'succeeded' });
  });

  it('returns 404 to an admin without the account, and can be dismissed only after a late answer', async () => {
    const { id } = await contradicted('capture');
    const stranger = await setup.newAccount();
    const token = () => setup.token(['admin'], { accounts: [stranger] });
    const body = { as: 'approved', reason: REASON };
    const refused = await setup.admin(`/operations/${id}/settle`, { token: await token(), body });
    expect([refused.status, refused.error['code']]).to.deep.equal([404, 'resource_missing']);
    expect((await setup.admin(`/operations/${id}`, { token: await token() })).status).to.equal(404);
    const none = await setup.admin('/operations', { token: await token() });
    expect(none.json['data']).to.deep.equal([]);
    const dismissed = await setup.admin(`/operations/${id}/dismiss`, { body: { reason: REASON } });
    expect([dismissed.status, dismissed.error['message']]).to.deep.equal([
      409,
      `Operation ${id} is quarantined; settle it instead.`,
    ]);
    await settle(id, { as: 'declined' });
    const again = await setup.admin(`/operations/${id}/dismiss`, { body: { reason: REASON } });
    expect([again.status, again.error['code']]).to.deep.equal([409, 'operation_not_open']);
  });
});
