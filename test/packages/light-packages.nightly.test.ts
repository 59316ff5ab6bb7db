import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { packedTarballs, unpack } from '../support/packed-tarballs.ts';
import { ROOT } from '../support/planted-tree.ts';

const run = promisify(execFile);
/** Node's loader of the versions before `require()` of ES modules. */
const OLD_LOADER = '--no-experimental-require-module';

/** What npm installs for a merchant's server, and for who forwards events to a machine: no server. */
describe('without the server', function () {
  this.timeout(240_000);
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'paymount-light-')));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  describe('paymount-receiver', () => {
    const body = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'charge.succeeded',
      api_version: '2026-01-01',
      created: '2026-11-22T00:00:00.000Z',
      livemode: false,
      data: { object: { id: 'ch_1' } },
    });

    /** A delivery of now, signed as the specification says, apart from our own code. */
    function delivery(): { readonly secret: string; readonly signature: string } {
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      const seconds = Math.floor(performance.timeOrigin / 1000 + performance.now() / 1000);
      const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
      return { secret, signature: `t=${seconds},v1=${digest}` };
    }

    beforeEach(async () => {
      const receiver = (await packedTarballs()).filter(({ folder }) => folder === 'receiver');
      // No registry is asked, and no other package is there.
      const cache = ['--offline', '--cache', join(folder, 'cache')];
      await writeFile(join(folder, 'package.json'), '{ "private": true }');
      await run(
        'npm',
        ['install', '--no-audit', '--no-fund', ...cache, ...receiver.map(({ file }) => file)],
        {
          cwd: folder,
        },
      );
    });

    it('installs offline and alone, and verifies deliveries, imported and required', async () => {
      const modules = await readdir(join(folder, 'node_modules'));
      expect(modules.filter((name) => !name.startsWith('.'))).to.deep.equal(['paymount-receiver']);
      const { secret, signature } = delivery();
      const values = [body, signature, secret].map((value) => JSON.stringify(value)).join(', ');
      const print = `console.log(constructEvent(${values}).data.object.id);`;
      const required = `const { constructEvent } = require('paymount-receiver'); ${print}`;
      const programs = [
        [
          '--input-type=module',
          '-e',
          `import { constructEvent } from 'paymount-receiver'; ${print}`,
        ],
        ['--input-type=commonjs', '-e', required],
        [OLD_LOADER, '--input-type=commonjs', '-e', required],
      ];
      for (const program of programs) {
        const { stdout } = await run(process.execPath, program, { cwd: folder });
        expect(stdout).to.equal('ch_1\n');
      }
    });

    it('has types that need no other package', async () => {
      await writeFile(
        join(folder, 'main.ts'),
        `import { constructEvent } from 'paymount-receiver';
         const event = constructEvent('', '', '');
         if (event.type === 'charge.succeeded') {
           const amount: number = event.data.object.amount;
           // @ts-expect-error an amount is a number
           const text: string = event.data.object.amount;
         }`,
      );
      await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
      const options = ['--strict', '--noEmit', '--module', 'nodenext', '--types', 'node'];
      const tsc = join(ROOT, 'node_modules/.bin/tsc');
      const said = await run(tsc, [...options, 'main.ts'], { cwd: folder }).catch(
        (error: unknown) => Object(error),
      );
      expect(said.stdout).to.equal('');
    });
  });

  it('@paymount/cli listens and triggers', async () => {
    const modules = join(folder, 'node_modules');
    for (const tarball of await packedTarballs()) {
      if (['receiver', 'cli'].includes(tarball.folder)) await unpack(tarball, modules);
    }
    const commander = join('node_modules', 'commander');
    await symlink(join(ROOT, 'packages/cli', commander), join(folder, commander));
    const app: TestApp = await startApp();
    try {
      await listenAndTrigger(app);
    } finally {
      await app.close();
    }
  });

  async function listenAndTrigger(app: TestApp): Promise<void> {
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      PAYMOUNT_API_KEY: app.secretKey,
      PAYMOUNT_BASE_URL: app.url,
    };
    const program = join(folder, 'node_modules/@paymount/cli/bin/paymount-cli.js');
    const command = (...args: string[]) =>
      run(process.execPath, [program, ...args], { cwd: folder, env });
    expect((await command('listen', '--print-secret')).stdout).to.match(/^whsec_\S{44}\n$/);
    const made = await command('trigger', 'charge.failed', '--json');
    expect(JSON.parse(made.stdout)).to.include({ object: 'event', type: 'charge.failed' });
    const refused = await command('trigger', `--key=${app.secretKey}`).catch(
      (error: unknown) => error,
    );
    expect(refused).to.deep.include({
      code: 2,
      stderr: 'error: an argument holds a key or a secret\n',
    });
  }
});
