import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { childProgram } from '../support/child-program.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const CHILD = new URL('./redis-child.ts', import.meta.url);
const WITHOUT = new URL('./without-redis-packages.ts', import.meta.url);

describe('a host that did not install bullmq and ioredis', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  it('starts without Redis, and the error says what to install for it', async () => {
    const without = `--import=${await childProgram(WITHOUT)}`;
    const child = await childProgram(CHILD, ['bullmq', 'ioredis']);
    const run = promisify(execFile)(process.execPath, [without, child, database.url]);
    expect((await run).stdout.split('\n')).to.deep.equal([
      'started',
      'Error: The option `redis` needs two packages that Paymount does not bring along. ' +
        'Run: npm install bullmq ioredis',
      '',
    ]);
  });
});
