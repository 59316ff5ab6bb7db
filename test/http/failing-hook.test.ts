import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { ofCharges } from '../support/charge-hook.ts';
import { fakeClock } from '../support/clock.ts';
import { writtenLog } from '../support/written-log.ts';

const SALE = { amount: 4_200, currency: 'eur', source: 'tok_visa' };
const log = writtenLog();

/** The error lines of a log so far. */
function errorLines(of = log): Record<string, unknown>[] {
  const lines = of.text().split('\n');
  return lines
    .filter(Boolean)
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ level }) => level === 50);
}

describe('a hook that fails', () => {
  let app: TestApp;
  let knex: Knex;
  let hook: Parameters<typeof ofCharges>[0] = async () => undefined;

  before(async () => {
    app = await startApp({
      paymount: { logger: log.logger, hook: ofCharges((trx, settled) => hook(trx, settled)) },
    });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 2 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const charge = async (more: object = {}): Promise<string> => {
    const { body } = await request(app.url)
      .post('/v1/charges')
      .auth(app.secretKey, '')
      .send({ ...SALE, ...more })
      .expect(200);
    expect(body.status).to.equal('pending');
    return body.id;
  };

  it('is logged in one error line that names the charge, the error and its first line', async () => {
    hook = async () => {
      throw new TypeError('the shop is not ready');
    };
    const before = errorLines().length;
    const id = await charge();
    const [line, ...others] = errorLines().slice(before);
    expect(others).to.deep.equal([]);
    expect(line).to.include({ charge: id }).and.not.to.have.property('err');
    expect(line?.['msg']).to.match(
      new RegExp(
        `^The hook refused the result of ${id}: TypeError: the shop is not ready, at .+/failing-hook\\.test\\.ts:\\d+:\\d+\\. The result is kept and offered again; \`paymount operations show op_\\w+\` shows it\\.$`,
      ),
    );
  });

  it('is logged with the code of the database, and without the values of its statement', async () => {
    hook = async (trx, settled) => {
      await trx('orders').where({ charge: settled.charge.id }).update({ status: 'paid' });
    };
    const before = errorLines().length;
    const id = await charge();
    const [line] = errorLines().slice(before);
    expect(line).to.include({ charge: id, code: '42P01' });
    expect(line?.['msg']).to.include(`The hook refused the result of ${id}: DatabaseError: `);
    expect(line?.['msg']).to.include('relation "orders" does not exist');
    expect(JSON.stringify(line)).to.have.length.below(600);
  });

  it('is logged without card numbers, keys and line breaks, and shortened when it is long', async () => {
    const card = `4242${'4242'.repeat(3)}`;
    hook = async () => {
      throw new Error(`no\nroom for ${card} and ${app.secretKey} ${'x'.repeat(3_000)} at the end`);
    };
    const before = errorLines().length;
    await charge();
    const [line] = errorLines().slice(before);
    const told = String(line?.['msg']);
    expect(told).to.match(/: Error: no room for \S+ and \[secret\] x+ … x+ at the end, at /);
    expect(told).not.to.include(card);
    expect(told).to.have.length.below(1_000);
  });

  it('is logged without secrets that the cut of the message would split', async () => {
    for (const secret of [
      app.secretKey,
      'postgres://shop:hunter2secret@db.test',
      '4012888888881881',
    ]) {
      for (const before of [205, 215, 225]) {
        hook = async () => {
          const [near, far] = ['x'.repeat(before), 'y'.repeat(before)];
          throw new Error(`${near} ${secret} ${'z'.repeat(600)} ${secret} ${far}`);
        };
        const lines = errorLines().length;
        await charge();
        const told = String(errorLines()[lines]?.['msg']);
        expect(told).to.match(/: Error: x+ .* … .* y+, at /);
        expect(told).not.to.match(/4012|1881|hunter|secret@/);
        expect(told).not.to.include(app.secretKey.slice(0, 12));
        expect(told).not.to.include(app.secretKey.slice(-8));
      }
    }
  });

  it('is logged with the deepest cause and its code', async () => {
    hook = async (trx) => {
      const cause = await trx('orders').catch((error: unknown) => error);
      throw new TypeError('the order was not marked', { cause });
    };
    const before = errorLines().length;
    const id = await charge();
    const [line] = errorLines().slice(before);
    expect(line).to.include({ charge: id, code: '42P01' });
    expect(line?.['msg']).to.match(
      /: TypeError: the order was not marked; caused by DatabaseError: .*relation "orders" does not exist, at /,
    );
  });

  it('is logged less and less often while it refuses one result, with the number of refusals', async () => {
    const clock = fakeClock();
    const kept = writtenLog();
    const refusing = await startApp({
      paymount: { clock, logger: kept.logger, hook: () => Promise.reject(new Error('never')) },
    });
    try {
      await request(refusing.url)
        .post('/v1/charges')
        .auth(refusing.secretKey, '')
        .send(SALE)
        .expect(200);
      for (let pass = 1; pass < 20; pass += 1) {
        clock.advance(11_000);
        await refusing.worker.drain();
      }
      const told = errorLines(kept).map(({ refusals }) => refusals);
      expect(told).to.deep.equal([undefined, 2, 4, 8, 16]);
    } finally {
      await refusing.close();
    }
  });

  it('makes the cancellation of a refund return hook_refused, and is logged in one line', async () => {
    const { paymount, account } = app;
    const acting = { account, environment: 'test' } as const;
    hook = async () => undefined;
    const sale = { amount: 4_200, currency: 'eur', payment_method: 'pm_card_visa' };
    const { id } = await paymount.charges.create(acting, sale);
    const before = errorLines().length;
    await knex.transaction(async (trx) => {
      const { refunds } = paymount.using(trx);
      const refund = await refunds.create(acting, { charge: id });
      hook = () => Promise.reject(new Error('the parcel is back'));
      const refused = await refunds.cancel(acting, refund.id).catch((error: unknown) => error);
      expect(refused).to.include({ code: 'hook_refused', status: 409 });
      hook = async () => undefined;
      expect((await refunds.cancel(acting, refund.id)).status).to.equal('canceled');
    });
    const [line, ...others] = errorLines().slice(before);
    expect(others).to.deep.equal([]);
    expect(line?.['msg']).to.match(
      /: Error: the parcel is back, at .*\. The refund is not canceled\.$/,
    );
  });

  it('receives the result as the API shows it, and its account', async () => {
    const told: unknown[] = [];
    hook = async (_, settled) => void told.push(settled);
    const { body } = await request(app.url)
      .post('/v1/charges')
      .auth(app.secretKey, '')
      .send(SALE)
      .expect(200);
    expect(told).to.deep.equal([
      { kind: 'charge', account: app.account, environment: 'test', charge: body },
    ]);
    told.length = 0;
    const refund = await request(app.url)
      .post('/v1/refunds')
      .auth(app.secretKey, '')
      .send({ charge: body.id, amount: 200 })
      .expect(200);
    const { body: after } = await request(app.url)
      .get(`/v1/charges/${body.id}`)
      .auth(app.secretKey, '');
    expect(told).to.deep.equal([
      {
        kind: 'refund',
        account: app.account,
        environment: 'test',
        charge: after,
        refund: refund.body,
      },
    ]);
  });
});
