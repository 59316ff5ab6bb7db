import { createHash, randomBytes } from 'node:crypto';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { type Outcome, paymount } from '../support/run-command.ts';
import { skipUnless } from '../support/skip.ts';
import { keptFolders, newFolder, newRepository } from './git-repository.ts';

const secret = mintKey('secret', 'live');
const restricted = mintKey('restricted', 'test', 'Shop2026');
const publishable = mintKey('publishable', 'live');
const signing = `whsec_${randomBytes(32).toString('base64')}`;

const short = (credential: string): string =>
  credential.replace(/^(whsec_|[a-z]+_[a-z]+_(?:pm|Shop2026)).*(.{4})$/s, '$1...$2');

describe('paymount scan, of files', () => {
  const folder = keptFolders();

  /** Runs a scan, and sees that it shows no credential. */
  async function scan(...args: string[]): Promise<Outcome> {
    const outcome = await paymount({}, 'scan', ...args);
    for (const credential of [secret, restricted, signing]) {
      expect(outcome.said.includes(credential), 'a credential was printed').to.equal(false);
    }
    return outcome;
  }

  it('prints file, line, column and the shortened form, and ends with 1', async () => {
    const { path, write } = await folder(newFolder);
    await write('src/app.ts', `// one\nconst key = '${secret}';\n`);
    await write('deploy/values.yml', `a: ${restricted}\nb: ${publishable}\nc: ${signing}`);
    const { exitCode, out, err } = await scan(path);
    expect(exitCode).to.equal(1);
    expect([...out].sort()).to.deep.equal([
      `${path}/deploy/values.yml:1:4: restricted key ${short(restricted)}`,
      `${path}/deploy/values.yml:3:4: signing secret ${short(signing)}`,
      `${path}/src/app.ts:2:14: secret key ${short(secret)}`,
    ]);
    expect(err).to.deep.equal(['3 credentials in 2 files (0.0 MB).']);
  });

  it('exits with 0 when there is no credential', async () => {
    const { path, write } = await folder(newFolder);
    await write('page.html', `<script>start('${publishable}')</script>`);
    const outcome = await scan(path);
    expect(outcome).to.include({ exitCode: 0 });
    expect(outcome.out).to.deep.equal([]);
    expect(outcome.err).to.deep.equal(['No credential in 1 file (0.0 MB).']);
  });

  it('passes over what others published, what git keeps, and binary files', async () => {
    const { path, write } = await folder(newFolder);
    await write('node_modules/other/index.js', secret);
    await write('packages/a/node_modules/other/index.js', secret);
    await write('vendor/.git/config', secret);
    await write('image.png', Buffer.concat([Buffer.from([0x89, 0]), Buffer.from(secret)]));
    expect(await scan(path)).to.include({ exitCode: 0 });
  });

  it('reads UTF-16 with a byte order mark, as some shells redirect output', async () => {
    const { path, write } = await folder(newFolder);
    await write('key.txt', Buffer.from(`\ufeffKEY=${secret}\r\n`, 'utf16le'));
    const { exitCode, out } = await scan(path);
    expect(exitCode).to.equal(1);
    expect(out).to.deep.equal([`${path}/key.txt:1:5: secret key ${short(secret)}`]);
  });

  it('follows no links, but reads the file that it is given', async () => {
    const { path, write } = await folder(newFolder);
    const outside = await folder(newFolder);
    await outside.write('key.txt', secret);
    await symlink(outside.path, join(path, 'linked-folder'));
    await symlink(join(outside.path, 'key.txt'), join(path, 'linked-file'));
    await write('clean.txt', 'nothing');
    expect(await scan(path)).to.include({ exitCode: 0 });
    expect(await scan(join(path, 'linked-file'))).to.include({ exitCode: 1 });
  });

  it('leaves out what git ignores, unless that is what it is asked for', async () => {
    const { path, write, commit } = await folder(newRepository);
    await write('.gitignore', 'secret.env\nout/\n');
    await write('tracked.txt', 'clean');
    await commit('first');
    await write('secret.env', secret);
    await write('out/bundle.js', secret);
    await write('untracked.txt', restricted);
    const { exitCode, out } = await scan(path);
    expect(exitCode).to.equal(1);
    expect(out).to.deep.equal([`${path}/untracked.txt:1:1: restricted key ${short(restricted)}`]);
    expect(await scan(join(path, 'secret.env'))).to.include({ exitCode: 1 });
    expect(await scan(join(path, 'out'))).to.include({ exitCode: 1 });
  });

  it('reads repositories inside the repository, and says which tracked files are missing', async () => {
    const { path, write, commit } = await folder(newRepository);
    await write('gone.txt', secret);
    await write('here.txt', 'clean');
    await commit('first');
    await rm(join(path, 'gone.txt'));
    const inner = await folder(newRepository);
    await inner.write('key.txt', restricted);
    await inner.commit('inner');
    await inner.git('clone', '--quiet', inner.path, join(path, 'inner'));
    const { out, err } = await scan(path);
    expect(out).to.deep.equal([`${path}/inner/key.txt:1:1: restricted key ${short(restricted)}`]);
    expect(err).to.deep.equal([
      `paymount: ${path}/gone.txt cannot be read (ENOENT).`,
      '1 credential in 2 files (0.0 MB).',
    ]);
  });

  it('passes over specimens that are known by their digest, and says how many', async () => {
    const { path, write } = await folder(newFolder);
    await write('docs/page.txt', `${signing}\n${signing}\n`);
    const digest = createHash('sha256').update(signing).digest('hex');
    await write('.paymount-scan-ignore', `# from the docs\n${digest} # page.txt\n\n`);
    const { exitCode, err } = await scan(path);
    expect(exitCode).to.equal(0);
    expect(err).to.deep.equal([
      'No credential in 2 files (0.0 MB). 2 known specimens passed over.',
    ]);
    await write('docs/page.txt', `${signing}\n${secret}\n`);
    expect(await scan(path)).to.include({ exitCode: 1 });
    await write('.paymount-scan-ignore', `${digest}\ndocs/*\n`);
    const wrong = await scan(path);
    expect(wrong.exitCode).to.equal(2);
    expect(wrong.err.join()).to.include('.paymount-scan-ignore:2 is not a SHA-256');
  });

  it('ends with 2 when nothing is at the path', async () => {
    const { exitCode, err } = await scan('/nowhere/at/all');
    expect(exitCode).to.equal(2);
    expect(err).to.deep.equal(['paymount: /nowhere/at/all cannot be read (ENOENT).']);
  });

  it('never calls files clean that it could not read', async function () {
    // The one file that refuses root too: reading at address 0 of one's own memory fails.
    skipUnless(process.platform === 'linux', 'the /proc of Linux', this);
    const { exitCode, err } = await scan('/proc/self/mem');
    expect(exitCode).to.equal(2);
    expect(err[0]).to.equal('paymount: /proc/self/mem cannot be read (EIO).');
  });

  it('prints one JSON object with --json', async () => {
    const { path, write } = await folder(newFolder);
    await write('a.txt', `key: ${secret}`);
    const { out, err } = await scan(path, '--json');
    expect(out).to.have.length(1);
    expect(JSON.parse(out[0] ?? '')).to.deep.equal({
      findings: [
        {
          file: `${path}/a.txt`,
          line: 1,
          column: 6,
          commit: null,
          type: 'secret_key',
          redacted: short(secret),
        },
      ],
      truncated: false,
      files: 1,
      commits: 0,
      bytes: 53,
      unread: [],
      allowed: 0,
      reported: [],
      report_failure: null,
    });
    expect(err).to.deep.equal([]);
  });
});
