import { expect } from 'chai';
import request, { type Test } from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';

const MINUTE = 60_000;

describe('an Idempotency-Key whose request died half-way', () => {
  let app: TestApp;
  let clock: FakeClock;
  /** The place at which the next request dies, as a process would that is killed there. */
  let dieAt: string | undefined;

  before(async () => {
    clock = fakeClock();
    const crashPoint = (name: string): void => {
      if (name !== dieAt) return;
      dieAt = undefined;
      throw new Error(`died at ${name}`);
    };
    app = await startApp({ paymount: { clock, crashPoint } });
  });
  after(() => app.close());

  const sale = { amount: 4200, currency: 'eur', source: 'tok_visa' };
  const create = (key: string): Test =>
    request(app.url)
      .post('/v1/charges')
      .auth(app.secretKey, '')
      .set('Idempotency-Key', key)
      .send(sale);
  const charges = async (): Promise<{ id: string; status: string }[]> =>
    (await request(app.url).get('/v1/charges?limit=100').auth(app.secretKey, '')).body.data;

  it('is refused while its lock lives, then resumed: one charge, and its answer for ever', async () => {
    dieAt = 'operation.before_result';
    // The money may have moved, so even this answer is no error of the charge.
    expect((await create('k_executed')).status).to.equal(409);
    const early = await create('k_executed');
    expect([early.status, early.body.error.code]).to.deep.equal([409, 'idempotency_key_in_use']);
    expect(early.headers['retry-after']).to.equal('1');
    expect((await charges()).map(({ status }) => status)).to.deep.equal(['pending']);

    clock.advance(2 * MINUTE);
    const resumed = await create('k_executed');
    expect(resumed.status).to.equal(200);
    expect(resumed.body.status).to.equal('succeeded');
    expect(resumed.headers['idempotent-replayed']).to.equal('true');
    const again = await create('k_executed');
    expect(again.text).to.equal(resumed.text);
    expect((await charges()).map(({ id }) => id)).to.deep.equal([resumed.body.id]);
  });

  it('is sent under the same operation when the processor never heard of it', async () => {
    const before = (await charges()).length;
    dieAt = 'operation.before_call';
    expect((await create('k_never_sent')).status).to.equal(500);
    clock.advance(2 * MINUTE);
    await app.worker.drain();
    clock.advance(6 * MINUTE);
    await app.worker.drain();
    const answer = await create('k_never_sent');
    expect([answer.status, answer.body.status]).to.deep.equal([200, 'succeeded']);
    expect(await charges()).to.have.length(before + 1);
    expect(await app.paymount.verify()).to.deep.equal([]);
  });
});
