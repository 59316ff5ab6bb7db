import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import {
  KeyRing,
  loadKeyRing,
  parseKeyRing,
  type RingKey,
  Secret,
  SecretBox,
} from '@paymount/auth';
import { expect } from 'chai';
import { CompactEncrypt } from 'jose';
import { keptLog } from './key-shelf.ts';

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

function headerOf(sealed: string): unknown {
  return JSON.parse(Buffer.from(sealed.split('.')[0] ?? '', 'base64url').toString());
}

describe('SecretBox', () => {
  it('gives back what it sealed, under the newest key and bound to its row', async () => {
    const box = new SecretBox(new KeyRing([NEW, OLD]));
    const { sealed, kid } = await box.seal('whsec_ÄÖ\u0000😀', CONTEXT);
    expect(kid).to.equal('2026');
    expect(headerOf(sealed)).to.deep.equal({
      alg: 'dir',
      enc: 'A256GCM',
      kid: '2026',
      ctx: CONTEXT,
    });
    expect(sealed).not.to.contain('whsec');
    expect(await box.open(sealed, CONTEXT)).to.equal('whsec_ÄÖ\u0000😀');
  });

  it('never seals the same text to the same bytes', async () => {
    const box = new SecretBox(new KeyRing([NEW]));
    const [one, other] = [await box.seal('same', CONTEXT), await box.seal('same', CONTEXT)];
    expect(one.sealed).not.to.equal(other.sealed);
  });

  it('opens what an older key of the ring sealed, and not what a dropped one sealed', async () => {
    const { sealed } = await new SecretBox(new KeyRing([OLD])).seal('whsec_1', CONTEXT);
    expect(await new SecretBox(new KeyRing([NEW, OLD])).open(sealed, CONTEXT)).to.equal('whsec_1');
    expect(await rejection(new SecretBox(new KeyRing([NEW])).open(sealed, CONTEXT))).to.equal(
      'The key ring lacks the key "2025".',
    );
  });

  it('refuses a secret that was copied to another row', async () => {
    const box = new SecretBox(new KeyRing([NEW]));
    const { sealed } = await box.seal('whsec_1', CONTEXT);
    expect(await rejection(box.open(sealed, 'endpoint_secrets.sealed:whs_2'))).to.equal(
      'A sealed secret was found in endpoint_secrets.sealed:whs_2 that belongs elsewhere.',
    );
  });

  it('refuses a secret of which any part was changed', async () => {
    const box = new SecretBox(new KeyRing([NEW]));
    const { sealed } = await box.seal('whsec_1', CONTEXT);
    const parts = sealed.split('.');
    for (const [index, part] of parts.entries()) {
      if (part === '') continue;
      const first = part.startsWith('A') ? 'B' : 'A';
      const changed = parts.with(index, first + part.slice(1)).join('.');
      expect(await rejection(box.open(changed, CONTEXT)), `part ${index}`).not.to.equal(
        'nothing was thrown',
      );
    }
  });

  it('refuses other algorithms under the right key', async () => {
    const box = new SecretBox(new KeyRing([NEW]));
    const key = new Uint8Array(32).fill(2);
    for (const header of [
      { alg: 'A256KW', enc: 'A256GCM' },
      { alg: 'dir', enc: 'A128CBC-HS256' },
      { alg: 'A256GCMKW', enc: 'A256GCM' },
    ]) {
      const sealed = await new CompactEncrypt(new Uint8Array(4))
        .setProtectedHeader({ ...header, kid: '2026', ctx: CONTEXT })
        .encrypt(key);
      expect(await rejection(box.open(sealed, CONTEXT))).to.contain('not allowed');
    }
  });
});

describe('KeyRing', () => {
  it('reads a ring written as text, newest first', () => {
    const b64 = (byte: number) => Buffer.alloc(32, byte).toString('base64');
    const ring = new KeyRing(parseKeyRing(` 2026:${b64(2)}, 2025:${b64(1)}\n`));
    expect(ring.newest).to.equal('2026');
    expect([ring.find('2025') !== undefined, ring.find('2024') !== undefined]).to.deep.equal([
      true,
      false,
    ]);
    expect(ring.find('2025')?.reveal()).to.deep.equal(Buffer.alloc(32, 1));
  });

  it('refuses what is no ring, without echoing a key', () => {
    const key = Buffer.alloc(31, 7).toString('base64');
    for (const [make, message] of [
      [() => new KeyRing([]), 'The key ring is empty.'],
      [() => new KeyRing([OLD, OLD]), 'The key ring names a key twice.'],
      [
        () => new KeyRing([{ kid: 'a b', key }]),
        'The name of a key is 1 to 64 letters, digits, dots, _ and -.',
      ],
      [
        () => new KeyRing([{ kid: 'short', key }]),
        'The key short is not 32 bytes in base64 (44 characters).',
      ],
      [
        () => new KeyRing([{ kid: 'short', key: new Uint8Array(31) }]),
        'The key short is not 32 bytes in base64 (44 characters).',
      ],
      [() => parseKeyRing(key), 'Key 1 of the ring is not name:base64.'],
    ] as const) {
      expect(make).to.throw(RangeError, message);
    }
  });

  it('prints [secret] wherever a key or secret would show', () => {
    const ring = new KeyRing([OLD]);
    const secret = new Secret('whsec_canary');
    expect(`${secret} ${JSON.stringify({ secret })}`).to.equal('[secret] {"secret":"[secret]"}');
    expect(inspect({ secret })).to.equal('{ secret: [secret] }');
    expect(inspect(ring.find('2025'), { showHidden: true, depth: 9 })).to.equal('[secret]');
    expect(inspect(ring, { showHidden: true, depth: 9 })).not.to.contain('AQEB');
    expect(secret.reveal()).to.equal('whsec_canary');
  });
});

describe('loadKeyRing', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paymount ring '));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('refuses live without a ring, saying how to give one', async () => {
    const message = await rejection(loadKeyRing({ environment: 'live', logger: keptLog() }));
    expect(message).to.contain('Live needs sealing keys of your own');
    expect(message).to.contain('sealingKeys: [{');
  });

  it('makes a file of mode 0600 for test once, warns, and refuses it for live', async () => {
    const file = join(folder, 'deep', 'keys');
    const logger = keptLog();
    const options = { environment: 'test', file, logger } as const;
    const first = await loadKeyRing(options);
    const { sealed } = await new SecretBox(first).seal('whsec_1', CONTEXT);
    const again = await loadKeyRing(options);
    expect(await new SecretBox(again).open(sealed, CONTEXT)).to.equal('whsec_1');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(logger.lines.map(({ level }) => level)).to.deep.equal(['warn']);
    expect(logger.lines[0]?.text).not.to.contain((await readFile(file, 'utf8')).slice(5, 40));
    expect(() => again.requireForLive()).to.throw('Live needs sealing keys of your own');
    expect(() => new KeyRing([NEW]).requireForLive()).not.to.throw();
  });

  it('gives processes that start at once the same key', async () => {
    const file = join(folder, 'keys');
    const options = { environment: 'test', file, logger: keptLog() } as const;
    const rings = await Promise.all(Array.from({ length: 20 }, () => loadKeyRing(options)));
    const keys = new Set(
      rings.map((ring) => Buffer.from(ring.find('test')?.reveal() ?? []).toString('hex')),
    );
    expect(keys.size).to.equal(1);
    expect([...keys][0]).to.have.length(64);
  });

  it('refuses a file that others can read', async function () {
    if (process.platform === 'win32') this.skip();
    const file = join(folder, 'keys');
    await writeFile(file, `test:${Buffer.alloc(32).toString('base64')}`);
    await chmod(file, 0o644);
    const loading = loadKeyRing({ environment: 'test', file, logger: keptLog() });
    expect(await rejection(loading)).to.equal(
      `Others can read ${file}, which holds a key. Run: chmod 600 ${file}`,
    );
  });
});
