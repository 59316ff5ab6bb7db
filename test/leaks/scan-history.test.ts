import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { paymount } from '../support/run-command.ts';
import { type Folder, newFolder, newRepository } from './git-repository.ts';

describe('paymount scan --history', () => {
  const folders: Folder[] = [];
  const minted: string[] = [];

  async function repository(): Promise<Folder> {
    const made = await newRepository();
    folders.push(made);
    return made;
  }

  function mint(): string {
    const key = mintKey('secret', 'live');
    minted.push(key);
    return key;
  }

  after(() => Promise.all(folders.map((each) => each.remove())));

  /** What `--history` adds to a scan of the files: `<commit> <file>:<line> <last four>`. */
  async function history(path: string): Promise<string[]> {
    const { out, said } = await paymount({}, '--json', 'scan', path, '--history');
    expect(minted.filter((key) => said.includes(key))).to.have.length(0);
    const { findings } = JSON.parse(out[0] ?? '') as {
      findings: { commit: string | null; file: string; line: number; redacted: string }[];
    };
    return findings
      .filter(({ commit }) => commit !== null)
      .map(({ commit, file, line, redacted }) => {
        return `${commit} ${file}:${line} ${redacted.slice(-4)}`;
      })
      .sort();
  }

  it('finds what was taken out again: commit, file and line', async () => {
    const { path, write, commit, git } = await repository();
    const [first, second] = [mint(), mint()];
    await write('config/app.env', `A=1\nKEY=${first}\n`);
    const one = await commit('one');
    await write('config/app.env', `A=1\nB=2\nKEY=${second}\nC=3\n`);
    await write('notes.txt', 'a\nb\n');
    const two = await commit('two');
    await git('rm', '--quiet', '-r', 'config');
    await commit('three');
    const outcome = await paymount({}, 'scan', path, '--history');
    expect(outcome.exitCode).to.equal(1);
    expect([...outcome.out].sort()).to.deep.equal(
      [
        `config/app.env:2:5 in commit ${one.slice(0, 12)}: secret key sk_live_pm...${first.slice(-4)}`,
        `config/app.env:3:5 in commit ${two.slice(0, 12)}: secret key sk_live_pm...${second.slice(-4)}`,
      ].sort(),
    );
    expect(outcome.err).to.deep.equal(['2 credentials in 1 file (0.0 MB) and 3 commits.']);
  });

  it('reads every branch, tag and stash', async () => {
    const { path, write, commit, git } = await repository();
    const [branched, tagged, stashed] = [mint(), mint(), mint()];
    await write('a.txt', 'clean\n');
    await commit('base');
    await git('switch', '--quiet', '--create', 'side');
    await write('b.txt', branched);
    const onBranch = await commit('on a branch');
    await git('switch', '--quiet', '--detach', 'main');
    await write('c.txt', tagged);
    const onTag = await commit('on a tag');
    await git('tag', 'v1');
    await git('switch', '--quiet', 'main');
    await write('a.txt', `clean\n${stashed}\n`);
    await git('stash', '--quiet');
    const found = await history(path);
    expect(found).to.include(`${onBranch} b.txt:1 ${branched.slice(-4)}`);
    expect(found).to.include(`${onTag} c.txt:1 ${tagged.slice(-4)}`);
    expect(found.some((line) => line.endsWith(` a.txt:2 ${stashed.slice(-4)}`))).to.equal(true);
  });

  it('finds what a side branch added and took back before it was merged', async () => {
    const { path, write, commit, git } = await repository();
    const key = mint();
    await write('a.txt', 'base\n');
    await commit('base');
    await git('switch', '--quiet', '--create', 'side');
    await write('b.txt', key);
    const added = await commit('added');
    await git('rm', '--quiet', 'b.txt');
    await git('commit', '--quiet', '--message', 'taken back');
    await git('switch', '--quiet', 'main');
    await git('merge', '--quiet', '--no-ff', '--message', 'merged', 'side');
    await git('branch', '--delete', '--quiet', 'side');
    expect(await history(path)).to.deep.equal([`${added} b.txt:1 ${key.slice(-4)}`]);
  });

  it('finds what a merge added by itself', async () => {
    const { path, write, commit, git } = await repository();
    const key = mint();
    await write('a.txt', 'one\ntwo\nthree\n');
    await commit('base');
    await git('switch', '--quiet', '--create', 'side');
    await write('a.txt', 'ONE\ntwo\nthree\n');
    await commit('side');
    await git('switch', '--quiet', 'main');
    await write('a.txt', 'one\ntwo\nTHREE\n');
    await commit('main');
    await git('merge', '--no-commit', 'side');
    await write('a.txt', `ONE\ntwo\nTHREE\n\n${key}\n`);
    const merge = await commit('merge');
    expect(await history(path)).to.deep.equal([`${merge} a.txt:5 ${key.slice(-4)}`]);
  });

  it('counts lines of a merge past those that it took away', async () => {
    const { path, write, commit, git } = await repository();
    const key = mint();
    await write('a.txt', 'old\n');
    await commit('base');
    await git('switch', '--quiet', '--create', 'side');
    await write('a.txt', 'new\nold\n');
    await commit('side');
    await git('switch', '--quiet', 'main');
    await write('b.txt', 'other\n');
    await commit('main');
    await git('merge', '--no-commit', 'side');
    await write('a.txt', `new\n${key}\n`);
    const merge = await commit('merge');
    expect(await history(path)).to.deep.equal([`${merge} a.txt:2 ${key.slice(-4)}`]);
  });

  it('is not misled by content that looks like a diff, nor by names of files', async () => {
    const { path, write, commit } = await repository();
    const [first, second] = [mint(), mint()];
    const misleading = `+++ b/elsewhere.txt\n@@ -1 +900 @@\ncommit 0000\n-- x\n${first}\n`;
    await write('a b"c.txt', misleading);
    await write('ü.txt', second);
    const one = await commit('one');
    expect(await history(path)).to.deep.equal(
      [`${one} a b\\"c.txt:5 ${first.slice(-4)}`, `${one} ü.txt:1 ${second.slice(-4)}`].sort(),
    );
  });

  it('reads what attributes or zero bytes make binary, and UTF-16', async () => {
    const { path, write, commit } = await repository();
    const [hidden, binary, zero, wide] = [mint(), mint(), mint(), mint()];
    await write('.gitattributes', '*.txt -diff\n*.env binary\n');
    await write('a.txt', `1\n${hidden}\n`);
    await write('b.env', binary);
    await write('c.bin', `\0\0\n${zero}`);
    await write('d.ps', Buffer.from(`\ufeffA\r\n${wide}\r\n`, 'utf16le'));
    const one = await commit('one');
    expect(await history(path)).to.deep.equal([
      `${one} a.txt:2 ${hidden.slice(-4)}`,
      `${one} b.env:1 ${binary.slice(-4)}`,
      `${one} c.bin:2 ${zero.slice(-4)}`,
      `${one} d.ps:2 ${wide.slice(-4)}`,
    ]);
  });

  it('reads the messages of commits, whatever they look like', async () => {
    const { path, write, commit, git } = await repository();
    const [first, second] = [mint(), mint()];
    await write('a.txt', 'clean\n');
    const misleading = `+++ b/x\n@@ -1 +9 @@\n+y\ncommit 0000\n\n${first}`;
    const one = await commit(`subject\n\n${misleading}`);
    await git('commit', '--quiet', '--allow-empty', '--message', second);
    const two = await git('rev-parse', 'HEAD');
    expect(await history(path)).to.deep.equal(
      [
        `${one} COMMIT_EDITMSG:8 ${first.slice(-4)}`,
        `${two} COMMIT_EDITMSG:1 ${second.slice(-4)}`,
      ].sort(),
    );
  });

  it('reads lines of a megabyte, and files without a last line feed', async () => {
    const { path, write, commit } = await repository();
    const [first, second] = [mint(), mint()];
    const filler = 'x'.repeat(1_000_000);
    await write('min.js', `${filler} ${first} ${filler}\nlast ${second}`);
    const one = await commit('one');
    await write('min.js', `${filler} ${filler}\nlast`);
    await commit('two');
    expect(await history(path)).to.deep.equal(
      [`${one} min.js:1 ${first.slice(-4)}`, `${one} min.js:2 ${second.slice(-4)}`].sort(),
    );
  });

  it('does not depend on how the user likes diffs', async () => {
    const { path, write, commit, git } = await repository();
    const key = mint();
    for (const [name, value] of [
      ['diff.noprefix', 'true'],
      ['diff.context', '9'],
      ['diff.external', 'false'],
      ['color.ui', 'always'],
      ['format.pretty', 'fuller'],
      ['log.showSignature', 'true'],
      ['log.diffMerges', 'off'],
      ['diff.orderFile', '/dev/null'],
      ['log.showRoot', 'false'],
    ] as const) {
      await git('config', name, value);
    }
    await write('b/a.txt', `1\n2\n3\n4\n5\n6\n7\n`);
    await commit('one');
    await write('b/a.txt', `1\n2\n3\n${key}\n5\n6\n7\n`);
    const two = await commit('two');
    expect(await history(path)).to.deep.equal([`${two} b/a.txt:4 ${key.slice(-4)}`]);
  });

  it('reads the whole repository from any folder or file of it', async () => {
    const { path, write, commit } = await repository();
    const key = mint();
    await write('key.txt', key);
    await write('src/app.ts', 'clean');
    const one = await commit('one');
    const expected = [`${one} key.txt:1 ${key.slice(-4)}`];
    expect(await history(join(path, 'src'))).to.deep.equal(expected);
    expect(await history(join(path, 'src/app.ts'))).to.deep.equal(expected);
  });

  it('ends with 0 in a repository without commits', async () => {
    const { path } = await repository();
    const outcome = await paymount({}, 'scan', path, '--history');
    expect(outcome).to.include({ exitCode: 0 });
  });

  it('ends with 2 outside a repository, and when objects are missing', async () => {
    const plain = await newFolder();
    folders.push(plain);
    const outside = await paymount({}, 'scan', plain.path, '--history');
    expect(outside.exitCode).to.equal(2);
    expect(outside.err.join()).to.match(/^paymount: git failed: fatal: not a git repository/);
    const broken = await repository();
    await broken.write('a.txt', 'clean');
    await broken.commit('one');
    const tree = await broken.git('rev-parse', 'HEAD^{tree}');
    await rm(join(broken.path, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    expect(await paymount({}, 'scan', broken.path, '--history')).to.include({ exitCode: 2 });
  });
});
