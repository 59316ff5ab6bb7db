import { execFile } from 'node:child_process';
import { access, chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { childProgram } from '../support/child-program.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const CHILD = new URL('./keyless-child.ts', import.meta.url);

describe('a process without sealing keys', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let folder: string;

  beforeEach(async () => {
    database = await freshDatabase();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'paymount-keyless-')));
    await chmod(folder, 0o777);
  });
  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function started(env: NodeJS.ProcessEnv = {}, url = database.url): Promise<string> {
    const run = promisify(execFile)(process.execPath, [await childProgram(CHILD), url], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'development', ...env },
    });
    return (await run).stdout;
  }

  it('makes a key in development, and never uses such a key in production', async () => {
    const refused =
      'Error: No sealing key is set. With NODE_ENV=production, Paymount does not make one, because ' +
      'each process would make a different key. Pass the same key in every process: ' +
      "sealingKeys: [{ kid: '2026', key: process.env['SEALING_KEY'] ?? '' }]. " +
      'To make a key, run: openssl rand -base64 32';
    expect(await started({ NODE_ENV: 'production' })).to.equal(refused);
    expect(await accessible('.paymount')).to.equal(false);
    expect(await started()).to.equal('started');
    expect(await accessible('.paymount/keys')).to.equal(true);
    expect(await started({ NODE_ENV: 'production' })).to.equal(refused);
  });

  it('makes no key when it cannot reach the database', async () => {
    expect(await started({}, 'postgres://app@127.0.0.1:1/shop')).to.match(/ECONNREFUSED/);
    expect(await accessible('.paymount')).to.equal(false);
  });

  it('names the folder that it cannot write, and the cure', async () => {
    await chmod(folder, 0o555);
    expect(await started()).to.equal(
      'Error: Paymount cannot write the sealing key for the test environment to the folder ' +
        `${folder}/.paymount (EACCES). Make the folder writable, or pass \`sealingKeys\`. ` +
        'To make a key, run: openssl rand -base64 32',
    );
  });

  function accessible(file: string): Promise<boolean> {
    return access(join(folder, file)).then(
      () => true,
      () => false,
    );
  }
});
