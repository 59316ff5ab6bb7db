import { expect } from 'chai';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { writtenLog } from '../support/written-log.ts';

const UNFINISHED = 'A change is done, but its answer could not be finished';
const SALE = { amount: 4_200, currency: 'eur', source: 'tok_visa' };

describe('a change without an idempotency key, after which the database is out of reach', () => {
  let app: TestApp;
  let proxy: TcpProxy;
  let far: TestHost;
  const log = writtenLog();

  before(async () => {
    app = await startApp();
    proxy = await openTcpProxy(app.databaseUrl);
    const place = { ...app, databaseUrl: proxy.url };
    far = await startHost(place, { paymount: { logger: log.logger } });
  });
  afterEach(mend);
  after(async () => {
    await far.close();
    await proxy.close();
    await app.close();
  });

  /** Until the guard has proved again that it hears of revocations. */
  async function mend(): Promise<void> {
    proxy.onUpstream = () => undefined;
    proxy.mend();
    const ask = async () =>
      (await request(far.url).get('/v1/balance').auth(app.secretKey, '')).status;
    await eventually(ask, (status) => status === 200);
  }

  /** Cuts the way to the database as soon as a statement was asked for that often. */
  function cutAt(name: string, times = 1): { seen: number } {
    const asked = { seen: 0 };
    proxy.onUpstream = (bytes) => {
      if (!bytes.includes(name)) return;
      asked.seen += 1;
      if (asked.seen === times) proxy.cut();
    };
    return asked;
  }

  const post = (path: string, body: object, to = far.url) =>
    request(to).post(path).auth(app.secretKey, '').send(body);
  const paid = async (): Promise<string> =>
    (await post('/v1/charges', SALE, app.url).expect(200)).body.id;
  const listRefunds = async (charge: string): Promise<number[]> => {
    const { body } = await request(app.url)
      .get('/v1/refunds')
      .query({ charge })
      .auth(app.secretKey, '')
      .expect(200);
    return body.data.map(({ amount }: { amount: number }) => amount);
  };

  it('answers a refund with its charge, which is not read again', async () => {
    const id = await paid();
    const asked = cutAt('pm_charges_find_v', 2);
    const { body } = await post(`/v1/charges/${id}/refund`, { amount: 200 }).expect(200);
    expect(asked.seen).to.equal(1);
    expect(body).to.include({ id, object: 'charge', amount_refunded: 200, status: 'succeeded' });
    expect(await listRefunds(id)).to.deep.equal([200]);
  });

  it('answers a refund with its charge, and leaves ids that cannot be expanded', async () => {
    const id = await paid();
    const asked = cutAt('pm_ledger_find_many');
    const { body, headers } = await post(`/v1/charges/${id}/refund`, {
      amount: 300,
      expand: ['balance_transaction'],
    }).expect(200);
    expect(asked.seen).to.equal(1);
    const line = log
      .text()
      .split('\n')
      .find((each) => each.includes(UNFINISHED));
    expect(JSON.parse(line ?? '{}')).to.include({ level: 50, request_id: headers['request-id'] });
    expect(body).to.include({ id, object: 'charge', amount_refunded: 300 });
    expect(body.balance_transaction).to.match(/^txn_/);
    expect(await listRefunds(id)).to.deep.equal([300]);
  });

  it('leaves ids that cannot be expanded in the answer to a refund and to a charge', async () => {
    const id = await paid();
    const asked = cutAt('pm_charges_find_many');
    const { body } = await post('/v1/refunds', {
      charge: id,
      amount: 400,
      expand: ['charge'],
    }).expect(200);
    expect(asked.seen).to.equal(1);
    expect(body).to.include({ object: 'refund', charge: id, amount: 400 });
    expect(await listRefunds(id)).to.deep.equal([400]);
    await mend();
    const again = cutAt('pm_ledger_find_many');
    const made = await post('/v1/charges', { ...SALE, expand: ['balance_transaction'] });
    expect(made.status).to.equal(200);
    expect(again.seen).to.equal(1);
    expect(made.body).to.include({ object: 'charge', status: 'succeeded' });
    expect(made.body.balance_transaction).to.match(/^txn_/);
  });
});
