import { execFile } from 'node:child_process';
import { access, chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const CHILD = fileURLToPath(new URL('./keyless-child.ts', import.meta.url));
const FLAGS = [
  `--import=${createRequire(import.meta.url).resolve('tsx')}`,
  '--conditions=@paymount/source',
];

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

  async function started(env: NodeJS.ProcessEnv = {}): Promise<string> {
    const run = promisify(execFile)(process.execPath, [...FLAGS, CHILD, database.url], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'development', TSX_DISABLE_CACHE: '1', ...env },
    });
    return (await run).stdout;
  }

  it('makes a key in development, and uses none of its own making in production', async () => {
    const refused =
      'Error: NODE_ENV is production, where each process would make and use a sealing key of its ' +
      "own. Pass one key to all of them: sealingKeys: [{ kid: '2026', key: " +
      "process.env['SEALING_KEY'] }]. This command makes one: openssl rand -base64 32";
    expect(await started({ NODE_ENV: 'production' })).to.equal(refused);
    expect(await accessible('.paymount')).to.equal(false);
    expect(await started()).to.equal('started');
    expect(await accessible('.paymount/keys')).to.equal(true);
    expect(await started({ NODE_ENV: 'production' })).to.equal(refused);
  });

  it('names the folder that it cannot write, and the cure', async () => {
    await chmod(folder, 0o555);
    expect(await started()).to.equal(
      `Error: A sealing key for test was to be made, but the folder ${folder}/.paymount cannot be ` +
        'written (EACCES). Pass `sealingKeys` (this command makes a key: openssl rand -base64 32), ' +
        'or make the folder writable.',
    );
  });

  function accessible(file: string): Promise<boolean> {
    return access(join(folder, file)).then(
      () => true,
      () => false,
    );
  }
});
