import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { KeyRing, SecretBox, toSealingKeys } from '@paymount/auth';
import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { rewrap } from '../../packages/paymount/src/commands/secrets/secrets-rewrap.ts';
import { PAYMOUNT_PROGRAM } from '../support/child-program.ts';
import { fakeClock } from '../support/clock.ts';
import { freshDatabase, query, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { paymount } from '../support/run-command.ts';
import {
  buildSettings,
  sealingKey,
  secretsByKey,
  storeSecrets,
} from '../support/secrets-setting.ts';

describe('paymount secrets', function () {
  this.timeout(120_000);
  const [old, newest] = [sealingKey('2025'), sealingKey('2026')];
  let database: TestDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(() => database.drop());

  const command = (ring: readonly (typeof old)[], ...args: string[]) =>
    paymount(buildSettings(database.url, ring), 'secrets', ...args);

  async function plainTexts(ring: readonly (typeof old)[]): Promise<string[]> {
    const box = new SecretBox(new KeyRing(ring));
    const rows = await query<{ id: string; sealed: string }>(
      database.url,
      'SELECT id, sealed FROM paymount.endpoint_secrets',
    );
    return Promise.all(
      rows.map(async ({ id, sealed }) => {
        const plain = await box.open(sealed, `endpoint_secrets.sealed:${id}`);
        return plain === `whsec_${id}` ? 'as it was' : plain;
      }),
    );
  }

  it('rewrap seals everything anew in batches of 500, and says that the old key may go', async () => {
    await storeSecrets(database.url, old, 1_100);
    const { exitCode, out, err, progress } = await command([newest, old], 'rewrap');
    expect([exitCode, out, err]).to.deep.equal([
      0,
      [
        'sealed by 2026 now, by 2025 before: 1100 signing secrets',
        'Nothing needs 2025 any more: drop it from sealingKeys.',
      ],
      [],
    ]);
    expect(progress).to.deep.equal([
      '[#############                 ] 500 of 1100',
      '[###########################   ] 1000 of 1100',
      '[##############################] 1100 of 1100',
      '',
    ]);
    expect(await secretsByKey(database.url)).to.deep.equal({ 2026: 1_100 });
    expect(new Set(await plainTexts([newest]))).to.deep.equal(new Set(['as it was']));
    const again = await command([newest], 'rewrap');
    expect([again.exitCode, again.out]).to.deep.equal([
      0,
      ['Everything is sealed by 2026 already.'],
    ]);
  });

  it('rewrap that is killed in the middle goes on where it was', async () => {
    const count = 4_000;
    await storeSecrets(database.url, old, count);
    const child = startRewrap(buildSettings(database.url, [newest, old]));
    const ended = once(child, 'exit');
    await eventually(
      () => secretsByKey(database.url),
      ({ 2026: done = 0 }) => done > 0,
      100_000,
    );
    child.kill('SIGKILL');
    expect(await ended).to.deep.equal([null, 'SIGKILL']);
    const { 2025: left = 0, 2026: done = 0 } = await secretsByKey(database.url);
    expect([done % 500, done + left]).to.deep.equal([0, count]);
    expect(left).to.be.within(500, count - 500);

    const { exitCode, out } = await command([newest, old], 'rewrap');
    expect([exitCode, out[0]]).to.deep.equal([
      0,
      `sealed by 2026 now, by 2025 before: ${left} signing secrets`,
    ]);
    expect(await secretsByKey(database.url)).to.deep.equal({ 2026: count });
    expect(new Set(await plainTexts([newest]))).to.deep.equal(new Set(['as it was']));
  });

  it('rewrap run twice at once seals each secret once', async () => {
    await storeSecrets(database.url, old, 1_200);
    const both = await Promise.all([
      command([newest, old], 'rewrap', '--json'),
      command([newest, old], 'rewrap', '--json'),
    ]);
    const counts = both.map(({ out }) => JSON.parse(out.join('')).done[0]?.count ?? 0);
    expect(counts[0] + counts[1]).to.equal(1_200);
    expect(both.map(({ exitCode }) => exitCode)).to.deep.equal([0, 0]);
    expect(both.flatMap(({ progress }) => progress)).to.deep.equal([]);
  });

  it('rewrap leaves what changed while it was sealed', async () => {
    await storeSecrets(database.url, old, 2);
    const storage = createPostgresStorage({
      connection: database.url,
      dispatch: new DispatchHub(),
    });
    try {
      const rows = await storage.sealed.batch({
        table: 'endpoint_secrets',
        kid: '2025',
        limit: 500,
      });
      await query(
        database.url,
        "UPDATE paymount.endpoint_secrets SET sealed = 'rotated' WHERE id = $1",
        [rows[0]?.key[0]],
      );
      const resealed = rows.map((row) => ({ row, kid: '2026', sealed: 'anew' }));
      expect(await storage.sealed.replace('endpoint_secrets', resealed)).to.equal(1);
      const kept = await query<{ sealed: string }>(
        database.url,
        'SELECT sealed FROM paymount.endpoint_secrets ORDER BY id',
      );
      expect(kept.map(({ sealed }) => sealed)).to.deep.equal(['rotated', 'anew']);
    } finally {
      await storage.close();
    }
  });

  it('rewrap replaces nothing by what would not open again', async () => {
    await storeSecrets(database.url, old, 2);
    const provider = {
      current: () => newest,
      byKid: (kid: string) => (kid === '2025' ? old : sealingKey(kid)),
    };
    const ring = toSealingKeys(provider, fakeClock());
    const storage = createPostgresStorage({
      connection: database.url,
      dispatch: new DispatchHub(),
    });
    const by = { actor: { type: 'command', id: 'ops' }, via: 'cli' } as const;
    const ports = { ...storage, ring, sealer: new SecretBox(ring), by };
    const error = await rewrap(ports, () => undefined).catch((reason: unknown) => reason);
    await storage.close();
    expect(String(error)).to.contain('The sealing key "2026" does not open what it sealed');
    expect(new Set(await plainTexts([old]))).to.deep.equal(new Set(['as it was']));
  });

  it('rewrap names what does not open: a ciphertext copied to another row, and a lost key', async () => {
    await storeSecrets(database.url, old, 2);
    await storeSecrets(database.url, sealingKey('2024'), 3);
    const [one, two] = await query<{ id: string }>(
      database.url,
      "SELECT id FROM paymount.endpoint_secrets WHERE kid = '2025' ORDER BY id",
    );
    await query(
      database.url,
      `UPDATE paymount.endpoint_secrets SET sealed =
         (SELECT sealed FROM paymount.endpoint_secrets WHERE id = $1) WHERE id = $2`,
      [one?.id, two?.id],
    );
    const { exitCode, out } = await command([newest, old], 'rewrap');
    expect([exitCode, out]).to.deep.equal([
      1,
      [
        'sealed by 2026 now, by 2025 before: 1 signing secret',
        `does not open: endpoint_secrets.sealed:${two?.id}`,
        '2024 is still needed by 3 signing secrets; it is not among the keys: pass it after the newest one, and run this again.',
        '2025 is still needed by 1 signing secret; secrets that cannot be opened must be created again.',
      ],
    ]);
    const json = await command([newest, old], 'rewrap', '--json');
    expect(JSON.parse(json.out.join(''))).to.deep.equal({
      kid: '2026',
      done: [{ table: 'endpoint_secrets', kid: '2025', count: 0 }],
      broken: [{ table: 'endpoint_secrets', key: [two?.id] }],
      left: [
        { table: 'endpoint_secrets', kid: '2024', count: 3 },
        { table: 'endpoint_secrets', kid: '2025', count: 1 },
      ],
      missing: ['2024'],
      wrong: [],
    });
  });

  it('rewrap tells wrong bytes of a key from what is damaged, and says so', async () => {
    await storeSecrets(database.url, old, 600);
    const { exitCode, out } = await command([newest, sealingKey('2025')], 'rewrap');
    expect([exitCode, out]).to.deep.equal([
      1,
      [
        '2025 is still needed by 600 signing secrets; the key that you passed as 2025 opens nothing of it, so its bytes are wrong: pass the right ones, and run this again.',
      ],
    ]);
    const json = await command([newest, sealingKey('2025')], 'rewrap', '--json');
    expect(JSON.parse(json.out.join(''))).to.deep.equal({
      kid: '2026',
      done: [{ table: 'endpoint_secrets', kid: '2025', count: 0 }],
      broken: [],
      left: [{ table: 'endpoint_secrets', kid: '2025', count: 600 }],
      missing: [],
      wrong: ['2025'],
    });
    expect((await command([newest, old], 'rewrap')).exitCode).to.equal(0);
    expect(await secretsByKey(database.url)).to.deep.equal({ 2026: 600 });
  });

  it('rewrap seals nothing with a newest key that has wrong bytes', async () => {
    await storeSecrets(database.url, old, 2);
    await storeSecrets(database.url, newest, 1);
    const { exitCode, out, err } = await command([sealingKey('2026'), old], 'rewrap');
    expect([exitCode, out, err]).to.deep.equal([
      2,
      [],
      [
        'paymount: The key that you passed as 2026 opens nothing of what 2026 sealed, so its bytes are wrong. Nothing was changed.',
      ],
    ]);
    expect(await secretsByKey(database.url)).to.deep.equal({ 2025: 2, 2026: 1 });
  });

  it('rewrap writes one row to the audit log, and none if there was nothing to do', async () => {
    await storeSecrets(database.url, old, 501);
    await storeSecrets(database.url, sealingKey('2024'), 1);
    const older = sealingKey('2023');
    await storeSecrets(database.url, older, 2);
    const ring = [newest, old, older];
    expect((await command(ring, 'rewrap')).exitCode).to.equal(1);
    expect((await command(ring, 'rewrap')).exitCode).to.equal(1);
    const env = { DATABASE_URL: database.url };
    const exported = await paymount(env, 'audit', 'export');
    const entries = exported.out.map((line) => JSON.parse(line));
    expect(entries).to.have.length(1);
    const { account, livemode, seq, actor, via, action, target, before, after } = entries[0];
    expect([account, livemode, seq, actor, via, action, target, before, after]).to.deep.equal([
      null,
      null,
      1,
      { type: 'command', id: userInfo().username },
      'cli',
      'secrets.rewrap',
      '2026',
      { sealed_by: { 2023: 2, 2025: 501 } },
      { sealed_by: { 2026: 503 } },
    ]);
    expect((await paymount(env, 'audit', 'verify')).exitCode).to.equal(0);
  });

  it('rewrap that breaks off tells the audit log of what it had done', async () => {
    await storeSecrets(database.url, old, 600);
    const storage = createPostgresStorage({
      connection: database.url,
      dispatch: new DispatchHub(),
    });
    const ring = new KeyRing([newest, old]);
    const by = { actor: { type: 'command', id: 'ops' }, via: 'cli' } as const;
    const ports = { ...storage, ring, sealer: new SecretBox(ring), by };
    const error = await rewrap(ports, () => {
      throw new Error('The terminal is gone.');
    }).catch((reason: unknown) => reason);
    await storage.close();
    expect(String(error)).to.contain('The terminal is gone.');
    expect(await secretsByKey(database.url)).to.deep.equal({ 2025: 100, 2026: 500 });
    const rows = await query(database.url, 'SELECT action, before, after FROM paymount.audit_log');
    expect(rows).to.deep.equal([
      {
        action: 'secrets.rewrap',
        before: { sealed_by: { 2025: 500 } },
        after: { sealed_by: { 2026: 500 } },
      },
    ]);
  });

  it('list counts what each key has sealed, and fails when one of them is missing', async () => {
    await storeSecrets(database.url, old, 2);
    await storeSecrets(database.url, newest, 1);
    const bare = await paymount({ DATABASE_URL: database.url }, 'secrets', 'list');
    expect([bare.exitCode, bare.out]).to.deep.equal([
      0,
      ['2025  2 signing secrets', '2026  1 signing secret'],
    ]);
    expect((await command([newest, old], 'list')).out).to.deep.equal([
      '2025  2 signing secrets  kept',
      '2026  1 signing secret  newest',
    ]);
    const missing = await command([newest], 'list', '--json');
    expect([missing.exitCode, JSON.parse(missing.out.join(''))]).to.deep.equal([
      1,
      {
        keys: [
          { kid: '2025', sealed: { endpoint_secrets: 2 }, status: 'missing' },
          { kid: '2026', sealed: { endpoint_secrets: 1 }, status: 'newest' },
        ],
      },
    ]);
  });

  it('list fails when a key has the name, but not the bytes, of what sealed', async () => {
    await storeSecrets(database.url, old, 2);
    await storeSecrets(database.url, newest, 1);
    const another = sealingKey(old.kid);
    const listed = await command([newest, another], 'list');
    expect([listed.exitCode, listed.out]).to.deep.equal([
      1,
      ['2025  2 signing secrets  wrong', '2026  1 signing secret  newest'],
    ]);
  });

  it('say which setting is wrong, echo no key, and end with 2', async () => {
    const without = await paymount({ DATABASE_URL: database.url }, 'secrets', 'rewrap');
    expect([without.exitCode, without.err]).to.deep.equal([
      2,
      [
        'paymount: No sealing keys: set PAYMOUNT_KEYS to name:base64 pairs, newest first, or pass --config.',
      ],
    ]);
    for (const [keys, message] of [
      [newest.key, 'paymount: PAYMOUNT_KEYS: Key 1 must be written as name:base64.'],
      [
        `2026:${newest.key.slice(4)}`,
        'paymount: The sealing key 2026 must be 32 bytes in base64 (44 characters), but it has 40 ' +
          'characters. To make a key, run: openssl rand -base64 32',
      ],
    ]) {
      const env = { DATABASE_URL: database.url, PAYMOUNT_KEYS: keys ?? '' };
      const { exitCode, err } = await paymount(env, 'secrets', 'rewrap');
      expect([exitCode, err]).to.deep.equal([2, [message]]);
    }
  });
});

/** As an operator starts it; what it prints has no reader. */
function startRewrap(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [PAYMOUNT_PROGRAM, 'secrets', 'rewrap'], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
}
