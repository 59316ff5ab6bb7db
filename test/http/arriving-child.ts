import { createInterface } from 'node:readline';
import createKnex from 'knex';
import { createPaymount, PaymountError, type PaymountOptions } from 'paymount';
import pg from 'pg';

/**
 * A host on a database whose connections may die as they arrive. Each line of standard input is a
 * number of charges to look for, one after the other; it answers how many were looked for in vain,
 * by code. It listens to no errors itself.
 */
const [kind = '', url = ''] = process.argv.slice(2);

const pool = new pg.Pool({ connectionString: url });
const knexOf = (connection: object) => createKnex({ client: 'pg', ...connection });
const databases = new Map<string, () => PaymountOptions['database']>([
  ['url', () => url],
  ['pg.Pool', () => pool],
  ['knex', () => knexOf({ connection: url, pool: { min: 0, max: 4 } })],
  ['knex on a pg.Pool', () => knexOf({ connectionPool: pool })],
]);
const database = databases.get(kind)?.();
if (database === undefined) throw new Error(`There is no ${kind}.`);

const paymount = await createPaymount({ database, directUrl: url, issuerTag: 'pm', migrate: true });
const { id: account } = await paymount.accounts.create({
  name: 'The tea shop',
  country: 'DE',
  default_currency: 'eur',
});
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const codes: Record<string, number> = {};
  for (let call = 0; call < Number(line); call += 1) {
    const error: unknown = await paymount.charges
      .retrieve({ account, environment: 'test' }, 'ch_00000000000000000000000000')
      .catch((cause: unknown) => cause);
    const code = PaymountError.is(error) ? error.code : String(error);
    codes[code] = (codes[code] ?? 0) + 1;
  }
  process.stdout.write(`${JSON.stringify(codes)}\n`);
}
await paymount.close();
process.exit(0);
