import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { type Environment, hostSessionAdmin, type Paymount } from 'paymount';
import { postJson, type Reply } from '../support/ask.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { tableContents } from '../support/table-contents.ts';

const CURE = /^The live environment needs your own sealing keys\. Pass sealingKeys: /;

describe('secrets of live, where the sealing key was made for test', () => {
  const cwd = process.cwd();
  let database: TestDatabase;
  let folder: string;
  let host: TestHost;
  let paymount: Paymount;
  let knex: Knex;
  let account: string;

  before(async () => {
    database = await freshDatabase();
    folder = await mkdtemp(join(tmpdir(), 'paymount live '));
    process.chdir(folder);
    const admin = { id: 'ada', roles: ['admin'], authTime: new Date() };
    const authenticate = hostSessionAdmin(async () => admin);
    host = await startHost(
      { databaseUrl: database.url },
      { mount: (app, mounted) => void app.use(mounted.managementRouter({ authenticate })) },
    );
    paymount = host.paymount;
    process.chdir(cwd);
    knex = createKnex({ client: 'pg', connection: database.url });
    const shop = { name: 'Shop', country: 'DE', default_currency: 'eur' };
    account = (await paymount.accounts.create(shop)).id;
  });
  after(async () => {
    await knex.destroy();
    await host.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const endpoint = { url: 'https://example.com/hook', enabled_events: ['*'] } as const;
  const acting = (environment: Environment) => ({ account, environment });
  const ofAccount = (livemode: boolean) => ({ account, livemode });
  const rejectionMessage = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing was refused',
      ({ code, message }: { code: string; message: string }) => [code, CURE.test(message)],
    );
  const answered = ({ status, error }: Reply) => [
    status,
    error['code'],
    CURE.test(String(error['message'])),
  ];
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    postJson(host.url + path, body, { key: '', headers: { 'paymount-csrf': '1', ...headers } });

  it('are refused to the host and to admins, before anything is written', async () => {
    const before = await tableContents(database.url);
    const refused = ['sealing_keys_missing', true];
    const inHost = paymount.webhookEndpoints.create(acting('live'), endpoint);
    expect(await rejectionMessage(inHost)).to.deep.equal(refused);
    const inTransaction = knex.transaction((trx) =>
      paymount.using(trx).webhookEndpoints.create(acting('live'), endpoint),
    );
    expect(await rejectionMessage(inTransaction)).to.deep.equal(refused);

    const made = { ...ofAccount(true), ...endpoint };
    const byAdmin = await post('/endpoints', made);
    expect(answered(byAdmin)).to.deep.equal([409, ...refused]);
    expect(await tableContents(database.url)).to.deep.equal(before);
  });

  it('are refused in an answer that is kept for a replay', async () => {
    const key = { ...ofAccount(true), type: 'secret', name: 'server' };
    const kept = await post('/keys', key, { 'idempotency-key': 'live' });
    expect(answered(kept)).to.deep.equal([409, 'sealing_keys_missing', true]);
    const plain = await post('/keys', key);
    expect(plain.status, plain.text).to.equal(200);
  });

  it('alone are refused: those of test are sealed', async () => {
    const key = { ...ofAccount(false), type: 'secret', name: 'server' };
    const made = await post('/keys', key, { 'idempotency-key': 'test' });
    expect(made.status, made.text).to.equal(200);
    const host = await paymount.webhookEndpoints.create(acting('test'), endpoint);
    expect(host.livemode).to.equal(false);
  });
});
