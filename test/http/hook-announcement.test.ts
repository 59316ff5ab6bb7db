import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createPaymount, hostSessionAdmin, type Paymount } from 'paymount';
import { startWorker } from 'paymount/worker';
import request from 'supertest';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { makeSealingKeys } from '../support/make.ts';
import { paymount as command, toJson } from '../support/run-command.ts';
import { writtenLog } from '../support/written-log.ts';

const FIRST =
  'A hook is in use from now on, because this process has one: processes without it record no results any more. Start all of them with the same `hook`; if this was a mistake, run `paymount hook remove --reason TEXT`. docs/how-to/deploy.md says how to introduce and remove a hook.';

describe('the announcement that a hook is in use', () => {
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;
  let log = writtenLog();
  const opened: Paymount[] = [];

  /** A process with a hook. */
  const open = async (): Promise<Paymount> => {
    const hook = async () => undefined;
    const { logger } = log;
    const options = { database: database.url, sealingKeys, hook, logger };
    const paymount = await createPaymount({ ...options, mailer: false, rateLimit: false });
    opened.push(paymount);
    return paymount;
  };
  const isInUse = async () =>
    toJson(await command({ DATABASE_URL: database.url }, 'hook', 'show', '--json'))['in_use'];
  const announced = () => log.text().split(FIRST).length - 1;
  /** Asks a router for something. */
  const ask = async (router: ReturnType<Paymount['router']>, path: string): Promise<number> => {
    const server: Server = createServer(router);
    try {
      return (await request(server).get(path)).status;
    } finally {
      server.close();
    }
  };

  beforeEach(async () => {
    database = await freshDatabase();
    log = writtenLog();
  });
  afterEach(async () => {
    for (const paymount of opened.splice(0)) await paymount.close();
    await database.drop();
  });

  it('is made before the first request of a mounted API is served', async () => {
    const paymount = await open();
    expect(await isInUse()).to.equal(false);
    expect(await ask(paymount.router({ environment: 'test' }), '/v1/balance')).to.equal(401);
    expect([await isInUse(), announced()]).to.deep.equal([true, 1]);
  });

  it('is made before the first request of a mounted management API is served', async () => {
    const authenticate = hostSessionAdmin(() => undefined);
    const paymount = await open();
    expect(await ask(paymount.managementRouter({ authenticate }), '/me')).to.equal(401);
    expect([await isInUse(), announced()]).to.deep.equal([true, 1]);
  });

  it('is made when a worker starts, and logged by the first process only', async () => {
    for (let times = 0; times < 2; times += 1) {
      const worker = await startWorker(await open());
      await worker.close();
    }
    expect([await isInUse(), announced()]).to.deep.equal([true, 1]);
  });

  it('is not made by a command whose options have a hook', async () => {
    const bare = await createPaymount({
      database: database.url,
      sealingKeys,
      mailer: false,
      logger: log.logger,
    });
    opened.push(bare);
    const { id: account } = await bare.accounts.create({
      name: 'Test shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const acting = { account, environment: 'test' } as const;
    const sale = { amount: 500, currency: 'eur', payment_method: 'pm_card_amount_tampered' };
    await bare.charges.create(acting, sale);
    const env = { DATABASE_URL: database.url };
    const { out } = await command(env, 'operations', 'list', '--json');
    const { operations } = JSON.parse(out.join(''));
    const folder = await mkdtemp(join(tmpdir(), 'paymount-hook-'));
    try {
      const config = join(folder, 'options.mjs');
      const options = JSON.stringify({ database: database.url, sealingKeys });
      await writeFile(config, `export const options = { ...${options}, hook: async () => {} };`);
      const settle = ['settle', operations[0].id, '--as', 'approved', '--reason', 'It was paid.'];
      const { exitCode, said } = await command({}, '--config', config, 'operations', ...settle);
      expect(exitCode, said).to.equal(0);
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(await isInUse()).to.equal(false);
    const paid = await bare.charges.create(acting, { ...sale, payment_method: 'pm_card_visa' });
    expect(paid.status).to.equal('succeeded');
  });
});
