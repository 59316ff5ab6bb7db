import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { paymount } from '../support/run-command.ts';
import { skipUnless } from '../support/skip.ts';
import { keptFolders, newFolder, newRepository } from './git-repository.ts';

const run = promisify(execFile);
const NOBODY = 65_534;

describe('paymount scan, of hostile files', () => {
  const key = mintKey('secret', 'live');
  const short = `sk_live_pm...${key.slice(-4)}`;

  const folder = keptFolders();

  /** As a user whom files can refuse: nothing refuses root, whose settings git cannot read then. */
  async function unprivileged<T>(work: () => Promise<T>): Promise<T> {
    if (process.geteuid?.() !== 0) return work();
    const { HOME } = process.env;
    process.env['HOME'] = '/nowhere';
    process.seteuid?.(NOBODY);
    try {
      return await work();
    } finally {
      process.seteuid?.(0);
      if (HOME === undefined) delete process.env['HOME'];
      else process.env['HOME'] = HOME;
    }
  }

  for (const make of [newFolder, newRepository]) {
    const place = make === newFolder ? 'a folder' : 'a repository';

    it(`reads files of ${place} whose names are not UTF-8`, async () => {
      const { path } = await folder(make);
      const name = Buffer.concat([Buffer.from(`${path}/caf`), Buffer.from([0xe9])]);
      await mkdir(name);
      await writeFile(Buffer.concat([name, Buffer.from('/\xe9.env', 'latin1')]), key);
      const { exitCode, out } = await paymount({}, 'scan', path);
      expect(out).to.deep.equal([`${path}/caf\ufffd/\ufffd.env:1:1: secret key ${short}`]);
      expect(exitCode).to.equal(1);
    });

    it(`goes on past a folder of ${place} that it may not read, and says so`, async function () {
      skipUnless(process.geteuid !== undefined, 'owners of files', this);
      const { path, write } = await folder(make);
      await write('locked/a.txt', key);
      if (process.geteuid?.() === 0) {
        for (const each of ['', '.git', 'locked'].filter(
          (one) => make === newRepository || one !== '.git',
        ))
          await chown(join(path, each), NOBODY, NOBODY);
      }
      await chmod(join(path, 'locked'), 0);
      const clean = await unprivileged(() => paymount({}, 'scan', path, '--json'));
      expect(clean.exitCode).to.equal(2);
      const { unread } = JSON.parse(clean.out.join()) as { unread: { file: string }[] };
      expect(unread.map(({ file }) => file.replace(/\/$/, ''))).to.deep.equal([`${path}/locked`]);
      await write('z.txt', key);
      const found = await unprivileged(() => paymount({}, 'scan', path));
      expect(found.exitCode).to.equal(1);
      expect(found.out).to.deep.equal([`${path}/z.txt:1:1: secret key ${short}`]);
      await chmod(join(path, 'locked'), 0o700);
    });
  }

  it('keeps what it found when the history cannot be read', async () => {
    const { path, write } = await folder(newFolder);
    await write('a.txt', key);
    const { exitCode, out, err } = await paymount({}, 'scan', path, '--history');
    expect(exitCode).to.equal(1);
    expect(out).to.deep.equal([`${path}/a.txt:1:1: secret key ${short}`]);
    expect(err.join()).to.include('not a git repository');
  });

  it('shortens credentials in names of files, and escapes what steers a terminal', async () => {
    const { path, write, commit } = await folder(newRepository);
    const steering = 'a\n::error::x\u001b[31m\u009b\u202e.txt';
    const escaped = 'a\\x0a::error::x\\x1b[31m\\x9b\\u{202e}.txt';
    await write(steering, key);
    await write(`${key}.txt`, key);
    await write('gone\u001b.txt', 'clean');
    await commit('one');
    await rm(join(path, 'gone\u001b.txt'));
    const files = [`${path}/${escaped}`, `${path}/${short}.txt`].sort();
    const text = await paymount({}, 'scan', path);
    expect([...text.out].sort()).to.deep.equal(
      files.map((file) => `${file}:1:1: secret key ${short}`),
    );
    expect(text.err[0]).to.equal(`paymount: ${path}/gone\\x1b.txt cannot be read (ENOENT).`);
    const json = await paymount({}, 'scan', path, '--json');
    const { findings } = JSON.parse(json.out.join()) as { findings: { file: string }[] };
    expect(findings.map(({ file }) => file).sort()).to.deep.equal(files);
    const history = await paymount({}, 'scan', path, '--history');
    const nowhere = await paymount({}, 'scan', `${path}/\u001b${key}`);
    for (const { said, out, err } of [text, json, history, nowhere]) {
      expect(said).not.to.include(key);
      expect([...out, ...err].join('')).not.to.match(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it('reads no pipes', async function () {
    skipUnless(process.platform !== 'win32', 'pipes that have a name', this);
    const { path, write } = await folder(newFolder);
    await write('a.txt', 'clean');
    await run('mkfifo', [join(path, 'pipe')]);
    expect(await paymount({}, 'scan', path)).to.include({ exitCode: 0 });
    const pipe = await paymount({}, 'scan', join(path, 'pipe'));
    expect(pipe.exitCode).to.equal(2);
    expect(pipe.err).to.deep.equal([`paymount: ${path}/pipe is neither a file nor a folder.`]);
  });

  it('runs no program that the repository names', async () => {
    const { path, write, commit, git } = await folder(newRepository);
    const aside = await folder(newFolder);
    const ran = join(aside.path, 'ran');
    await aside.write('evil.sh', `#!/bin/sh\necho "$0" >> '${ran}'\ncat "$1"\n`);
    const evil = join(aside.path, 'evil.sh');
    await chmod(evil, 0o755);
    await write('.gitattributes', '* diff=evil filter=evil\n');
    await write('a.txt', key);
    const one = await commit('one');
    await write('a.txt', `${key}\nmore\n`);
    await git('add', '--all');
    for (const [name, value] of [
      ['core.fsmonitor', evil],
      ['core.hooksPath', aside.path],
      ['core.pager', evil],
      ['diff.external', evil],
      ['diff.evil.command', evil],
      ['diff.evil.textconv', evil],
      ['log.showSignature', 'true'],
      ['gpg.program', evil],
    ] as const) {
      await git('config', name, value);
    }
    const { out } = await paymount({}, 'scan', path, '--history');
    expect(out).to.include(`a.txt:1:1 in commit ${one.slice(0, 12)}: secret key ${short}`);
    expect(await readFile(ran, 'utf8').catch(() => 'nothing')).to.equal('nothing');
  });

  it('fetches nothing that the repository lacks', async () => {
    const { path, write, commit, git } = await folder(newRepository);
    const aside = await folder(newFolder);
    const ran = join(aside.path, 'ran');
    await write('a.txt', 'clean');
    await commit('one');
    const blob = await git('rev-parse', ':a.txt');
    await rm(join(path, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    for (const [name, value] of [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.url', path],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.uploadpack', `touch '${ran}'; false`],
      ['protocol.file.allow', 'always'],
    ] as const) {
      await git('config', name, value);
    }
    expect(await paymount({}, 'scan', path, '--history')).to.include({ exitCode: 2 });
    expect(await readFile(ran, 'utf8').catch(() => 'nothing')).to.equal('nothing');
  });

  it('reads the repository of the folder, not the one that the environment names', async () => {
    const { path, write, commit } = await folder(newRepository);
    const other = await folder(newRepository);
    await other.write('clean.txt', 'clean');
    await other.commit('other');
    await write('a.txt', key);
    const one = await commit('one');
    const inherited = { GIT_DIR: `${other.path}/.git`, GIT_WORK_TREE: other.path };
    Object.assign(process.env, inherited, { GIT_INDEX_FILE: `${other.path}/.git/index` });
    try {
      const { out } = await paymount({}, 'scan', path, '--history');
      expect(out).to.deep.equal([
        `${path}/a.txt:1:1: secret key ${short}`,
        `a.txt:1:1 in commit ${one.slice(0, 12)}: secret key ${short}`,
      ]);
    } finally {
      for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']) delete process.env[name];
    }
  });
});
