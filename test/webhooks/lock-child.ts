// A process of the host that changes an endpoint in a transaction, and ends that only when it is told to:
// `node lock-child.js DATABASE ACCOUNT ENDPOINT`. It sends `locked`, and ends with the connection to its
// parent.
import { once } from 'node:events';
import createKnex from 'knex';
import { createPaymount } from 'paymount';

const [database = '', account = '', endpoint = ''] = process.argv.slice(2);
const sealingKeys: { kid: string; key: string }[] = JSON.parse(process.env['SEALING_KEYS'] ?? '[]');

const paymount = await createPaymount({
  database,
  sealingKeys,
  mailer: false,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
});
const knex = createKnex({
  client: 'pg',
  connection: { connectionString: database, application_name: 'shop' },
});
const trx = await knex.transaction();
const { webhookEndpoints } = paymount.using(trx);
await webhookEndpoints.update({ account, environment: 'test' }, endpoint, { description: 'mine' });
process.send?.('locked');
await once(process, 'message');
await trx.commit();
process.send?.('committed');
await knex.destroy();
await paymount.close();
process.disconnect();
