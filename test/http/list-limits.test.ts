import { expect } from 'chai';
import pg from 'pg';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';

/** More than the pool has connections. */
const READERS = 15;
const HALF = 5;

describe('lists that take long', () => {
  let app: TestApp;
  let sql: pg.Client;

  before(async () => {
    app = await startApp();
    sql = new pg.Client({ connectionString: app.databaseUrl });
    await sql.connect();
  });
  after(async () => {
    await sql.end();
    await app.close();
  });

  const get = (path: string) => request(app.url).get(path).auth(app.secretKey, '');

  it('end after two seconds, take half of the pool, and let a charge pass meanwhile', async () => {
    // Whoever reads refunds now waits, as if for a long history.
    await sql.query('BEGIN; LOCK TABLE paymount.refunds IN ACCESS EXCLUSIVE MODE');
    let open = READERS;
    const reading = Array.from({ length: READERS }, async () => {
      const answer = await get('/v1/refunds');
      open -= 1;
      return answer;
    });
    const charged = await request(app.url)
      .post('/v1/charges')
      .auth(app.secretKey, '')
      .send({ amount: 700, currency: 'eur', source: 'tok_visa' });
    expect([charged.status, charged.body.status]).to.deep.equal([200, 'succeeded']);
    expect(open, 'lists under way when the charge is answered').to.be.at.least(HALF);

    const answers = await Promise.all(reading);
    await sql.query('ROLLBACK');
    const slow = answers.filter(({ body }) => body.error.code === 'list_too_slow');
    const busy = answers.filter(({ body }) => body.error.code === 'lists_busy');
    expect(slow.length).to.be.at.least(HALF);
    expect(slow.length + busy.length).to.equal(READERS);
    expect(slow[0]?.status).to.equal(400);
    expect(slow[0]?.body.error.message).to.equal(
      'Reading this page of the list took longer than two seconds. Send a range in `created` if the list takes it, or a smaller `limit`.',
    );
    expect([busy[0]?.status, busy[0]?.headers['retry-after']]).to.deep.equal([503, '1']);
    expect((await get('/v1/refunds')).body.data).to.deep.equal([]);
  });
});
