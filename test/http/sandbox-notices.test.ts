import { expect } from 'chai';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';

const SECOND = 1_000;

describe('Notices of the sandbox', () => {
  const clock = fakeClock();
  let app: TestApp;

  before(async () => {
    app = await startApp({ paymount: { clock } });
  });
  after(() => app.close());
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  const post = async (path: string, body: object): Promise<Record<string, unknown>> =>
    (await request(app.url).post(path).auth(app.secretKey, '').send(body).expect(200)).body;
  const get = async (path: string): Promise<Record<string, unknown>> =>
    (await request(app.url).get(path).auth(app.secretKey, '').expect(200)).body;
  const refundOf = async (source: string) => {
    const charge = await post('/v1/charges', { amount: 9_000, currency: 'eur', source });
    return post('/v1/refunds', { charge: charge['id'], amount: 4_000 });
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await app.worker.drain();
  };
  const noticesOf = (refund: unknown) =>
    query<{ kind: string; state: string }>(
      app.databaseUrl,
      `SELECT n.kind, n.state FROM paymount.notices n
       JOIN paymount.operations o ON o.id = n.operation_id WHERE o.subject_id = $1`,
      [refund],
    );

  it('settle a pending refund after two seconds', async () => {
    const { id, status } = await refundOf('tok_pendingRefund');
    expect(status).to.equal('pending');
    await pass(1.5 * SECOND);
    expect(await noticesOf(id)).to.deep.equal([]);
    await pass(SECOND);
    expect(await get(`/v1/refunds/${id}`)).to.include({ status: 'succeeded' });
    expect((await noticesOf(id)).map(({ kind }) => kind)).to.deep.equal(['refund.settled']);
  });

  it('return a refund two seconds after it succeeded', async () => {
    const { id, status, charge } = await refundOf('tok_refundFail');
    expect(status).to.equal('succeeded');
    await pass(3 * SECOND);
    expect(await get(`/v1/refunds/${id}`)).to.include({
      status: 'failed',
      failure_reason: 'card_declined',
    });
    expect(await get(`/v1/charges/${charge}`)).to.include({ amount_refunded: 0 });
    expect(await noticesOf(id)).to.deep.equal([{ kind: 'refund.failed', state: 'applied' }]);
  });

  it('are sent again after a process died that had taken them, and change nothing then', async () => {
    const { id } = await refundOf('tok_refundFail');
    const planned = () =>
      query<{ notice_id: string; body: string }>(
        app.databaseUrl,
        'SELECT notice_id, body FROM paymount.sandbox_notices',
      );
    const [kept] = await planned();
    await pass(3 * SECOND);
    expect(await planned()).to.deep.equal([]);
    await query(
      app.databaseUrl,
      'INSERT INTO paymount.sandbox_notices (notice_id, due_at, body) VALUES ($1, now(), $2)',
      [kept?.notice_id, kept?.body],
    );
    await pass(SECOND);
    expect(await planned()).to.deep.equal([]);
    expect(await noticesOf(id)).to.deep.equal([{ kind: 'refund.failed', state: 'applied' }]);
  });

  it('are none for a card that behaves as usual', async () => {
    const { id } = await refundOf('tok_visa');
    await pass(3 * SECOND);
    expect(await noticesOf(id)).to.deep.equal([]);
  });
});
