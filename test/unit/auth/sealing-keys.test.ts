import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import {
  KeyRing,
  loadSealingKeys,
  parseKeyRing,
  type RingKey,
  requireOwnKeys,
  SecretBox,
} from '@paymount/auth';
import { Secret } from '@paymount/core/kernel';
import { expect } from 'chai';
import { fakeClock } from '../../support/clock.ts';
import { keptLog } from '../../support/kept-log.ts';
import { skipUnless } from '../../support/skip.ts';

const OLD: RingKey = { kid: '2025', key: Buffer.alloc(32, 1).toString('base64') };
const NEW: RingKey = { kid: '2026', key: new Uint8Array(32).fill(2) };
const CONTEXT = 'endpoint_secrets.sealed:whs_1';

async function rejection(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'nothing was thrown';
}

describe('KeyRing', () => {
  it('reads a ring written as text, newest first', async () => {
    const b64 = (byte: number) => Buffer.alloc(32, byte).toString('base64');
    const ring = new KeyRing(parseKeyRing(` 2026:${b64(2)}, 2025:${b64(1)}\n`));
    expect((await ring.current()).kid).to.equal('2026');
    expect((await ring.byKid('2025'))?.key.reveal()).to.deep.equal(Buffer.alloc(32, 1));
    expect(await ring.byKid('2024')).to.equal(undefined);
  });

  it('refuses an invalid ring, without echoing a key', () => {
    const key = 'b'.repeat(40);
    for (const [make, message] of [
      [() => new KeyRing([]), 'The list of sealing keys is empty.'],
      [() => new KeyRing([OLD, OLD]), 'Two sealing keys have the same name.'],
      [
        () => new KeyRing([{ kid: 'a b', key }]),
        'The name of a sealing key must be 1 to 64 letters, digits, dots, _ or -.',
      ],
      [() => parseKeyRing(key), 'Key 1 must be written as name:base64.'],
    ] as const) {
      expect(make).to.throw(RangeError, message);
    }
  });

  it('says what is wrong with a key and how to make one, without echoing the key', () => {
    for (const [key, fault] of [
      ['', 'it is empty; is its environment variable set?'],
      ['b'.repeat(40), 'it has 40 characters'],
      [`${Buffer.alloc(32, 7).toString('base64')}\n`, 'it has 45 characters'],
      [`${'b'.repeat(42)}-=`, 'its characters are not base64'],
      [new Uint8Array(31), 'it has 31 bytes'],
    ] as const) {
      expect(() => new KeyRing([{ kid: '2026', key }])).to.throw(
        RangeError,
        `The sealing key 2026 must be 32 bytes in base64 (44 characters), but ${fault}. ` +
          'To make a key, run: openssl rand -base64 32',
      );
    }
  });

  it('prints [secret] wherever a key or secret would show', async () => {
    const ring = new KeyRing([OLD]);
    const secret = new Secret('whsec_canary');
    expect(`${secret} ${JSON.stringify({ secret })}`).to.equal('[secret] {"secret":"[secret]"}');
    expect(inspect({ secret })).to.equal('{ secret: [secret] }');
    const held = await ring.byKid('2025');
    expect(inspect(held, { showHidden: true, depth: 9 })).to.equal(
      "{ kid: '2025', key: [secret] }",
    );
    expect(JSON.stringify(held)).to.equal('{"kid":"2025","key":"[secret]"}');
    expect(inspect(ring, { showHidden: true, depth: 9 })).not.to.contain('AQEB');
    expect(secret.reveal()).to.equal('whsec_canary');
  });
});

describe('loadSealingKeys', () => {
  const clock = fakeClock();
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paymount ring '));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('refuses live without a ring, saying how to give one', async () => {
    const message = await rejection(
      loadSealingKeys({ environment: 'live', clock, logger: keptLog() }),
    );
    expect(message).to.contain('The live environment needs your own sealing keys');
    expect(message).to.contain('sealingKeys: [{');
  });

  it('makes a file of mode 0600 for test once, warns, and refuses it for live', async () => {
    const file = join(folder, 'deep', 'keys');
    const logger = keptLog();
    const options = { environment: 'test', file, clock, logger } as const;
    const first = await loadSealingKeys(options);
    const { sealed } = await new SecretBox(first).seal('whsec_1', CONTEXT);
    const again = await loadSealingKeys(options);
    expect(await new SecretBox(again).open(sealed, CONTEXT)).to.equal('whsec_1');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(logger.lines.map(({ level }) => level)).to.deep.equal(['warn']);
    expect(logger.lines[0]?.text).not.to.contain((await readFile(file, 'utf8')).slice(5, 40));
    expect(() => requireOwnKeys(again)).to.throw(
      'The live environment needs your own sealing keys',
    );
    expect(() => requireOwnKeys(new KeyRing([NEW]))).not.to.throw();
  });

  it('gives processes that start at once the same key', async () => {
    const file = join(folder, 'keys');
    const options = { environment: 'test', file, clock, logger: keptLog() } as const;
    const rings = await Promise.all(Array.from({ length: 20 }, () => loadSealingKeys(options)));
    const held = await Promise.all(rings.map((ring) => ring.byKid('test')));
    const keys = new Set(held.map((key) => Buffer.from(key?.key.reveal() ?? []).toString('hex')));
    expect(keys.size).to.equal(1);
    expect([...keys][0]).to.have.length(64);
  });

  it('refuses a file that others can read', async function () {
    skipUnless(process.platform !== 'win32', 'modes of files', this);
    const file = join(folder, 'keys');
    await writeFile(file, `test:${Buffer.alloc(32).toString('base64')}`);
    await chmod(file, 0o644);
    const loading = loadSealingKeys({ environment: 'test', file, clock, logger: keptLog() });
    expect(await rejection(loading)).to.equal(
      `Others can read ${file}, which holds a key. Run: chmod 600 ${file}`,
    );
  });
});
