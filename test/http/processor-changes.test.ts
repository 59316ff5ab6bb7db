import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { NotSentError, type Processor } from 'paymount/processor';
import { startWorker, type Worker } from 'paymount/worker';
import request, { type Test } from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { WatchedBank } from '../support/watched-bank.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const SALE = { amount: 700, currency: 'eur', source: 'tok_visa' };

/** Knows nothing of what it is asked about, and would execute a second submission anew. */
class ForgetfulBank extends WatchedBank {
  override readonly capabilities: Processor['capabilities'];
  /** What tokenization fails with, while set. */
  breakdown: Error | undefined;

  constructor(clock: FakeClock) {
    super(clock);
    this.capabilities = { ...new WatchedBank(clock).capabilities, idempotentSubmit: false };
  }

  override tokenize(
    ...input: Parameters<Processor['tokenize']>
  ): ReturnType<Processor['tokenize']> {
    return this.breakdown ? Promise.reject(this.breakdown) : super.tokenize(...input);
  }

  override lookup(...[operationId]: Parameters<Processor['lookup']>): Promise<'not_found'> {
    this.calls.push({ kind: 'lookup', operationId });
    return Promise.resolve('not_found');
  }
}

describe('a processor that does not know an operation', () => {
  let app: TestApp;
  let bank: ForgetfulBank;
  let clock: FakeClock;
  let dies = false;

  before(async () => {
    clock = fakeClock();
    bank = new ForgetfulBank(clock);
    const crashPoint = (name: string): void => {
      if (dies && name === 'operation.before_call') throw new Error('died here');
    };
    app = await startApp({ paymount: { clock, crashPoint, processors: { test: bank } } });
    // Only requests resume anything here.
    await app.worker.close();
  });
  after(() => app.close());

  const post = (path: string, body: object, key = randomUUID()): Test =>
    request(app.url).post(path).auth(app.secretKey, '').set('Idempotency-Key', key).send(body);
  const get = (path: string): Test => request(app.url).get(path).auth(app.secretKey, '');

  it('is asked again five minutes later before a charge fails, however often the key is retried', async () => {
    const key = randomUUID();
    dies = true;
    await post('/v1/charges', SALE, key).expect(500);
    dies = false;
    const lookups = () => bank.calls.filter(({ kind }) => kind === 'lookup').length;
    clock.advance(61 * SECOND);
    await post('/v1/charges', SALE, key).expect(409);
    expect(lookups()).to.equal(1);
    clock.advance(61 * SECOND);
    await post('/v1/charges', SALE, key).expect(409);
    expect(lookups()).to.equal(1);
    const { body: list } = await get('/v1/charges').expect(200);
    expect(list.data.map(({ status }: { status: string }) => status)).to.deep.equal(['pending']);
    clock.advance(5 * MINUTE);
    const { status, body } = await post('/v1/charges', SALE, key);
    expect([status, body.error.code]).to.deep.equal([502, 'processor_error']);
    expect(lookups()).to.equal(2);
  });

  it('is a 502 when it cannot tokenize, and nothing is written', async () => {
    for (const breakdown of [new NotSentError('refused'), new TypeError('bad answer')]) {
      bank.breakdown = breakdown;
      const method = await post('/v1/payment_methods', {
        type: 'card',
        card: { token: 'tok_visa' },
      });
      expect([method.status, method.body.error.code]).to.deep.equal([502, 'processor_error']);
      const sale = await post('/v1/charges', SALE);
      expect([sale.status, sale.body.error.code]).to.deep.equal([502, 'processor_error']);
    }
    bank.breakdown = undefined;
    expect((await get('/v1/charges').expect(200)).body.data).to.have.length(1);
  });
});

describe('a host that changes its processor', () => {
  let app: TestApp;
  let clock: FakeClock;
  let first: WatchedBank;
  let second: WatchedBank;
  let changed: TestHost;
  let worker: Worker;

  before(async () => {
    clock = fakeClock();
    first = new WatchedBank(clock, 'first');
    second = new WatchedBank(clock, 'second');
    app = await startApp({ paymount: { clock, processors: { test: first } } });
    await app.worker.close();
    changed = await startHost(app, { paymount: { clock, processors: { test: second } } });
    worker = await startWorker(changed.paymount);
  });
  after(async () => {
    await worker.close();
    await changed.close();
    await app.close();
  });

  it('never has the new one execute, or answer for, what the old one was asked', async () => {
    const { charges, refunds } = app.paymount;
    const later = changed.paymount;
    const paid = await charges.create(app.acting, SALE);
    const held = await charges.create(app.acting, { ...SALE, capture: false });
    const unknown = await charges.create(app.acting, { ...SALE, source: 'tok_timeout_approved' });
    expect([paid.status, held.status, unknown.status]).to.deep.equal([
      'succeeded',
      'authorized',
      'pending',
    ]);
    for (let day = 0; day < 3; day += 1) {
      clock.advance(DAY);
      await worker.drain();
    }
    for (const act of [
      () => later.charges.capture(app.acting, held.id),
      () => later.charges.cancel(app.acting, held.id),
      () => later.refunds.create(app.acting, { charge: held.id }),
      () => later.refunds.create(app.acting, { charge: paid.id }),
    ]) {
      const refused = await act().then(
        () => undefined,
        (error: { code?: string }) => error.code,
      );
      expect(refused).to.equal('operation_not_supported');
    }
    expect(second.calls).to.deep.equal([]);
    expect((await charges.retrieve(app.acting, unknown.id)).status).to.equal('pending');
    // The old one still settles what it was asked, and refunds what it took.
    expect((await refunds.create(app.acting, { charge: paid.id })).status).to.equal('succeeded');
  });
});
