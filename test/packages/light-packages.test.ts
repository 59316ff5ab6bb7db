import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ROOT } from '../architecture/planted-tree.ts';
import { startApp, type TestApp } from '../support/app.ts';

const run = promisify(execFile);
const ALONE = {
  receiver: 'paymount-receiver',
  signature: '@paymount/signature',
  cli: '@paymount/cli',
};

/** Only what npm would install for paymount-receiver and @paymount/cli: no server. */
describe('without the server', function () {
  this.timeout(120_000);
  let folder: string;
  let app: TestApp;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'paymount-light-')));
    const tarballs = join(folder, 'tarballs');
    await mkdir(tarballs);
    const sources = Object.keys(ALONE).map((name) => `./packages/${name}`);
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', tarballs];
    await run('npm', [...pack, ...sources], { cwd: ROOT });
    for (const name of Object.values(ALONE)) {
      const home = join(folder, 'node_modules', name);
      await mkdir(home, { recursive: true });
      const start = `${name.replace('@', '').replace('/', '-')}-`;
      const tarball = (await readdir(tarballs)).find((file) => file.startsWith(start)) ?? '';
      await run('tar', ['-xzf', join(tarballs, tarball), '-C', home, '--strip-components', '1']);
    }
    const commander = join('node_modules', 'commander');
    await symlink(join(ROOT, 'packages/cli', commander), join(folder, commander));
    app = await startApp();
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('paymount-receiver verifies deliveries, imported and required', async () => {
    const call =
      "try { constructEvent('{}', undefined, 'whsec_' + 'A'.repeat(43) + '='); } catch (error) { console.log(error.code); }";
    const programs = [
      ['--input-type=module', '-e', `import { constructEvent } from 'paymount-receiver'; ${call}`],
      [
        '--input-type=commonjs',
        '-e',
        `const { constructEvent } = require('paymount-receiver'); ${call}`,
      ],
    ];
    for (const program of programs) {
      const { stdout } = await run(process.execPath, program, { cwd: folder });
      expect(stdout).to.equal('header_missing\n');
    }
  });

  it('@paymount/cli listens and triggers', async () => {
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      PAYMOUNT_API_KEY: app.secretKey,
      PAYMOUNT_BASE_URL: app.url,
    };
    const command = (...args: string[]) =>
      run(
        process.execPath,
        [join(folder, 'node_modules/@paymount/cli/bin/paymount-cli.js'), ...args],
        {
          cwd: folder,
          env,
        },
      );
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
  });
});
