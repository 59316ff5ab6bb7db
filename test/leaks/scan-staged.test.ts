import { execFile } from 'node:child_process';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { paymount } from '../support/run-command.ts';
import { type Folder, newFolder, newRepository } from './git-repository.ts';

const run = promisify(execFile);

describe('paymount scan --staged', () => {
  const key = mintKey('secret', 'live');
  const words = `secret key sk_live_pm...${key.slice(-4)}`;
  let repository: Folder;

  beforeEach(async () => {
    repository = await newRepository();
  });

  afterEach(() => repository.remove());

  it('reads what is staged, not what the work tree holds', async () => {
    const { path, write, git, commit } = repository;
    await write('src/app.ts', `A\n${key}\n`);
    await git('add', '--all');
    await write('src/app.ts', 'A\nclean\n');
    const first = await paymount({}, 'scan', join(path, 'src'), '--staged');
    expect(first.exitCode).to.equal(1);
    expect(first.out).to.deep.equal([`src/app.ts:2:1: ${words}`]);
    expect(first.err).to.deep.equal(['1 credential in 1 file (0.0 MB).']);
    await commit('clean');
    await write('src/app.ts', `A\n${key}\n`);
    expect(await paymount({}, 'scan', path, '--staged')).to.include({ exitCode: 0 });
  });

  it('reads binary files, files that are gone from the work tree, and names in any encoding', async () => {
    const { path, write, git } = repository;
    await write('.gitattributes', '*.env binary\n');
    await write('a.env', key);
    await write('b.txt', key);
    await git('add', '--all');
    await rm(join(path, 'b.txt'));
    const blob = await git('rev-parse', ':b.txt');
    const script = `printf '100644 ${blob}\\tcaf\\351.txt\\n' | git -C '${path}' update-index --index-info`;
    await run('sh', ['-c', script]);
    const { out } = await paymount({}, 'scan', path, '--staged');
    expect(out).to.deep.equal([
      `a.env:1:1: ${words}`,
      `b.txt:1:1: ${words}`,
      `caf\ufffd.txt:1:1: ${words}`,
    ]);
  });

  it('reads the index that `git commit --all` gives to its hooks', async () => {
    const { path, write, git, commit } = repository;
    await write('a.txt', 'clean\n');
    await commit('one');
    const kept = join(path, '.git/given');
    await write('.git/hooks/pre-commit', `#!/bin/sh\ncp "$GIT_INDEX_FILE" '${kept}'\nexit 1\n`);
    await chmod(join(path, '.git/hooks/pre-commit'), 0o755);
    await write('a.txt', `${key}\n`);
    const refused = await git('commit', '--all', '--message', 'two').catch(() => 'refused');
    expect(refused).to.equal('refused');
    const asHook = await paymount({ GIT_INDEX_FILE: kept }, 'scan', path, '--staged');
    expect(asHook.out).to.deep.equal([`a.txt:1:1: ${words}`]);
    expect(await paymount({}, 'scan', path, '--staged')).to.include({ exitCode: 0 });
  });

  it('ends with 2 outside a repository', async () => {
    const plain = await newFolder();
    try {
      expect(await paymount({}, 'scan', plain.path, '--staged')).to.include({ exitCode: 2 });
    } finally {
      await plain.remove();
    }
  });
});
