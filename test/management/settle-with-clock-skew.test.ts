import { expect } from 'chai';
import request from 'supertest';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { DoubtfulBank } from '../support/doubtful-bank.ts';

const TEN_MINUTES = 10 * 60_000;

describe('an admin of a machine whose clock is ten minutes ahead', () => {
  let app: AdminApp;

  before(async () => {
    const clock = {
      now: () => new Date(Date.now() + TEN_MINUTES),
      monotonicMs: () => performance.now(),
      shiftMs: 0,
      advance: () => undefined,
    };
    app = await startAdminApp({
      clock,
      paymount: { processors: { test: new DoubtfulBank(clock) } },
    });
  });
  after(() => app.close());

  it('settles nothing that the processor may still answer', async () => {
    const sale = { amount: 700, currency: 'eur', source: 'tok_unknown_forever' };
    const made = await request(app.url).post('/v1/charges').auth(app.secretKey, '').send(sale);
    expect(made.body.status).to.equal('pending');
    const { json } = await app.admin(`/operations?state=any&subject=${made.body.id}`);
    const [operation] = json['data'] as { id: string }[];
    const { status, error } = await app.admin(`/operations/${operation?.id}/settle`, {
      body: { as: 'declined', reason: 'The bank says that it never came.' },
    });
    expect([status, error['code']]).to.deep.equal([409, 'operation_not_open']);
  });
});
