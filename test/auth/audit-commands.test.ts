import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditHash } from '@paymount/core/changes';
import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { PAYMOUNT_PROGRAM } from '../support/child-program.ts';
import { freshDatabase, type TestDatabase, withClient } from '../support/database.ts';
import { paymount, toJson } from '../support/run-command.ts';

describe('paymount audit', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let folder: string;
  let account: string;
  let other: string;

  before(async () => {
    database = await freshDatabase();
    env = { DATABASE_URL: database.url };
    folder = await mkdtemp(join(tmpdir(), 'paymount audit '));
    account = await newAccount('Café');
    other = await newAccount('Tea');
    for (const name of ['One', 'Two', 'Three']) {
      await paymount(env, 'accounts', 'update', account, '--name', name);
    }
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await database.drop();
  });

  async function newAccount(name: string): Promise<string> {
    const facts = ['--name', name, '--country', 'DE', '--currency', 'eur'];
    return (await paymount(env, 'accounts', 'create', ...facts)).out[0] ?? '';
  }

  async function kept(name: string, lines: readonly string[]): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, `${lines.join('\n')}\n`);
    return file;
  }

  it('verifies every chain, and prints their heads to keep elsewhere', async () => {
    const verified = await paymount(env, 'audit', 'verify');
    expect(verified.exitCode).to.equal(0);
    expect(verified.err).to.deep.equal(['Entries: 5. Chains: 2. Faults: 0.']);
    expect(verified.out).to.have.lengthOf(2);
    expect(verified.out[0]).to.match(new RegExp(`^${account} 4 [0-9a-f]{64}$`));
    expect(verified.out[1]).to.match(new RegExp(`^${other} 1 [0-9a-f]{64}$`));
    const json = await paymount(env, 'audit', 'verify', '--account', account, '--json');
    expect([json.exitCode, json.err]).to.deep.equal([0, []]);
    expect(toJson(json)).to.deep.include({
      whole: true,
      entries: 4,
      heads: [{ account, seq: 4, hash: verified.out[0]?.split(' ')[2] }],
      faults: [],
    });
  });

  it('exports entries oldest first, one object per line, whose hashes can be computed again', async () => {
    const exported = await paymount(env, 'audit', 'export', '--account', account);
    expect([exported.exitCode, exported.err]).to.deep.equal([0, []]);
    const entries = exported.out.map((line) => JSON.parse(line));
    expect(entries.map(({ action, seq }) => `${seq} ${action}`)).to.deep.equal([
      '1 account.create',
      '2 account.update',
      '3 account.update',
      '4 account.update',
    ]);
    for (const entry of entries) {
      const { account: accountId, prev_hash: prevHash, hash, created, seq, ...said } = entry;
      const { id, actor, via, action, target, before, after } = said;
      const record = { accountId, prevHash, id, actor, via, action, target, after };
      const optional = before === null ? {} : { before };
      const times = { created: new Date(created), seq: BigInt(seq) };
      expect(auditHash({ ...record, ...times, ...optional })).to.equal(hash);
    }
    const whole = await paymount(env, 'audit', 'export', '--json', '--since', '1d');
    expect(whole.out).to.have.lengthOf(5);
    expect((await paymount(env, 'audit', 'export', '--since', '2126-01-01')).out).to.deep.equal([]);
  });

  it('refuses an unknown account: an empty result would look like success', async () => {
    const nobody = newId('acct');
    for (const command of ['verify', 'export']) {
      const { exitCode, out, err } = await paymount(env, 'audit', command, '--account', nobody);
      expect([exitCode, out], command).to.deep.equal([1, []]);
      expect(err[0], command).to.include(`paymount: No such account: ${nobody}`);
    }
  });

  it('ends in peace when its reader has seen enough', async function () {
    this.timeout(30_000);
    const child = spawn(process.execPath, [PAYMOUNT_PROGRAM, 'audit', 'export'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [exitCode] = await once(child, 'close');
    expect([exitCode, said]).to.deep.equal([0, '']);
  });

  it('takes the heads of earlier runs, as lines and as JSON', async () => {
    const lines = await kept('heads.txt', (await paymount(env, 'audit', 'verify')).out);
    const json = await kept('heads.json', (await paymount(env, 'audit', 'verify', '--json')).out);
    await paymount(env, 'accounts', 'update', other, '--name', 'Tea shop');
    for (const file of [lines, json]) {
      expect((await paymount(env, 'audit', 'verify', '--heads', file)).exitCode).to.equal(0);
    }
  });

  it('reports two kept heads that contradict each other, whichever of them matches the log', async () => {
    const { out } = await paymount(env, 'audit', 'verify');
    const [, seq = '', hash = ''] = out[0]?.split(' ') ?? [];
    const [forged, another] = ['0'.repeat(64), '1'.repeat(64)];
    const said = (...hashes: string[]): string =>
      `fault: ${account} ${seq} is contradicted: kept heads say ${hashes.join(' and ')}`;
    const verify = async (lines: readonly string[], ...more: string[]) =>
      paymount(env, 'audit', 'verify', '--heads', await kept('two.txt', lines), ...more);

    const forgedLine = `${account} ${seq} ${forged}`;
    for (const [first, second] of [
      [hash, forged],
      [forged, hash],
    ] as const) {
      const found = await verify([`${account} ${seq} ${first}`, `${account} ${seq} ${second}`]);
      expect([found.exitCode, ...found.out]).to.deep.equal([1, said(first, second), ...out]);
      expect(found.err).to.deep.equal([
        'Kept heads give one entry two hashes: the log was rewritten between the runs that printed ' +
          'them, or a file of heads was. See docs/reference/audit.md#kept-heads-that-contradict-each-other.',
        'Entries: 6. Chains: 2. Faults: 1.',
      ]);
    }
    const neither = await verify([forgedLine, `${account} ${seq} ${another}`], '--json');
    expect([neither.exitCode, toJson(neither)['faults']]).to.deep.equal([
      1,
      [
        { account, seq: Number(seq), found: 'contradicted', kept: [forged, another] },
        { account, seq: Number(seq), found: 'changed' },
      ],
    ]);
    // Entries that are cut off since, and chains that are gone, are no different.
    const gone = newId('acct');
    const cut = await verify([`${gone} 7 ${hash}`, `${gone} 7 ${forged}`, `global 1 ${hash}`]);
    expect([cut.exitCode, ...cut.out]).to.deep.equal([
      1,
      `fault: ${gone} 7 is contradicted: kept heads say ${hash} and ${forged}`,
      `fault: ${gone} 7 is missing`,
      'fault: global 1 is missing',
      ...out,
    ]);
    // One head that was kept twice, in lines and in JSON, agrees with itself.
    const json = JSON.stringify({ heads: [{ account, seq: Number(seq), hash }] });
    expect((await verify([...out, ...out, json])).exitCode).to.equal(0);
  });

  it('names what is wrong, and ends with 1', async () => {
    const { out } = await paymount(env, 'audit', 'verify');
    const heads = await kept('before.txt', out);
    await withClient(database.url, async (client) => {
      await client.query('ALTER TABLE paymount.audit_log DISABLE TRIGGER ALL');
      await client.query(`UPDATE paymount.audit_log SET via = 'jwt' WHERE chain = $1 AND seq = 2`, [
        account,
      ]);
      // The whole of the other account's log, with its head.
      await client.query('DELETE FROM paymount.audit_log WHERE chain = $1', [other]);
      await client.query('DELETE FROM paymount.audit_heads WHERE chain = $1', [other]);
    });
    const verified = await paymount(env, 'audit', 'verify');
    expect(verified.exitCode).to.equal(1);
    expect(verified.out).to.deep.equal([`fault: ${account} 2 is changed`, out[0]]);
    expect(verified.err).to.deep.equal(['Entries: 4. Chains: 1. Faults: 1.']);
    const cut = await paymount(env, 'audit', 'verify', '--heads', heads, '--json');
    expect(cut.exitCode).to.equal(1);
    expect(toJson(cut)).to.deep.include({
      whole: false,
      faults: [
        { account, seq: 2, found: 'changed' },
        { account: other, seq: 2, found: 'missing' },
      ],
    });
    // What a run with faults printed serves as heads, too.
    const again = await kept('after.txt', verified.out);
    expect((await paymount(env, 'audit', 'verify', '--heads', again)).exitCode).to.equal(1);
  });

  it('exits with 2 for a file that contains no heads', async () => {
    const nothing = await kept('nothing.txt', ['']);
    const hash = 'a'.repeat(64);
    for (const [file, message] of [
      [nothing, `${nothing} holds no heads.`],
      [join(folder, 'gone'), /^The heads cannot be read: ENOENT/],
      ...(await Promise.all(
        [
          `acct_1 1 ${hash}`,
          `${newId('acct')} -1 ${hash}`,
          `${newId('acct')} 1 ${hash}0`,
          `${newId('key')} 1 ${hash}`,
          'whatever',
          '{"heads":[{"account":null,"seq":1.5,"hash":""}]}',
          '{"heads":{}}',
          '{"heads":[',
        ].map(async (line, index) => {
          const file = await kept(`wrong ${index}`, [line]);
          return [
            file,
            `${file} holds a line that \`paymount audit verify\` did not print.`,
          ] as const;
        }),
      )),
    ] as const) {
      const { exitCode, out, err } = await paymount(env, 'audit', 'verify', '--heads', file);
      expect([exitCode, out]).to.deep.equal([2, []]);
      const said = (err[0] ?? '').slice('paymount: '.length);
      if (typeof message === 'string') expect(said).to.equal(message);
      else expect(said).to.match(message);
    }
  });
});
