import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { PaymountOptions } from 'paymount';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { query } from '../support/database.ts';
import { startHost } from '../support/host.ts';

const SALE = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' } as const;

describe('A database whose role writes times in a German style', () => {
  let app: TestApp;
  let pool: pg.Pool;
  let knex: Knex;

  before(async () => {
    app = await startApp({});
    const [name] = await query<{ name: string }>(
      app.databaseUrl,
      'SELECT current_database() AS name',
    );
    for (const setting of ["datestyle = 'German, DMY'", "bytea_output = 'escape'"]) {
      await query(app.databaseUrl, `ALTER DATABASE "${name?.name}" SET ${setting}`);
    }
    pool = new pg.Pool({ connectionString: app.databaseUrl, max: 4 });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
  });
  after(async () => {
    await pool.end();
    await knex.destroy();
    await app.close();
  });

  const chargeWith = async (options: Partial<PaymountOptions> = {}): Promise<void> => {
    const { paymount, close } = await startHost(app, { paymount: options });
    try {
      const made = await paymount.charges.create(app.acting, SALE);
      expect(made).to.include({ status: 'succeeded', amount: 100 });
      const [listed] = (await paymount.charges.list(app.acting, { limit: 1 })).data;
      expect(listed).to.deep.equal(made);
      expect(await paymount.verify()).to.deep.equal([]);
    } finally {
      await close();
    }
  };

  it('is read through connections of Paymount', async () => {
    await chargeWith();
  });

  it('is read through a pool of the host, which keeps its style', async () => {
    await chargeWith({ database: pool });
    const shown = await Promise.all(
      Array.from({ length: 4 }, async () => (await pool.query('SHOW datestyle')).rows),
    );
    expect(shown.flat()).to.deep.equal(Array(4).fill({ DateStyle: 'German, DMY' }));
  });

  it('is read through a knex of the host, which keeps its style', async () => {
    await chargeWith({ database: knex });
    const { rows } = await knex.raw('SHOW datestyle');
    expect(rows).to.deep.equal([{ DateStyle: 'German, DMY' }]);
  });

  it('is read whatever parsers the host has set for its process', async () => {
    const types = [16, 17, 20, 23, 114, 1009, 1184, 3802];
    const before = types.map((type) => pg.types.getTypeParser(type));
    for (const type of types) pg.types.setTypeParser(type, (text) => `the host's ${text}`);
    try {
      await chargeWith();
    } finally {
      for (const [index, type] of types.entries()) {
        const parser = before[index];
        if (parser !== undefined) pg.types.setTypeParser(type, parser);
      }
    }
  });
});
