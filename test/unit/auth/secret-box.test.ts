import { KeyRing, type RingKey, SecretBox } from '@paymount/auth';
import { expect } from 'chai';
import { CompactEncrypt } from 'jose';

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

function decodeHeader(sealed: string): unknown {
  return JSON.parse(Buffer.from(sealed.split('.')[0] ?? '', 'base64url').toString());
}

describe('SecretBox', () => {
  it('gives back what it sealed, under the newest key and bound to its row', async () => {
    const box = new SecretBox(new KeyRing([NEW, OLD]));
    const { sealed, kid } = await box.seal('whsec_ÄÖ\u0000😀', CONTEXT);
    expect(kid).to.equal('2026');
    expect(decodeHeader(sealed)).to.deep.equal({
      alg: 'A256KW',
      enc: 'A256GCM',
      kid: '2026',
      ctx: CONTEXT,
    });
    expect(sealed).not.to.contain('whsec');
    expect(await box.open(sealed, CONTEXT)).to.equal('whsec_ÄÖ\u0000😀');
  });

  it('never seals the same text to the same bytes, nor under the same content key', async () => {
    const box = new SecretBox(new KeyRing([NEW]));
    const [one, other] = [await box.seal('same', CONTEXT), await box.seal('same', CONTEXT)];
    for (const part of [1, 2, 3, 4]) {
      expect(one.sealed.split('.')[part], `part ${part}`).not.to.equal(
        other.sealed.split('.')[part],
      );
    }
  });

  it('opens what an older key of the ring sealed, and not what a dropped one sealed', async () => {
    const { sealed } = await new SecretBox(new KeyRing([OLD])).seal('whsec_1', CONTEXT);
    expect(await new SecretBox(new KeyRing([NEW, OLD])).open(sealed, CONTEXT)).to.equal('whsec_1');
    expect(await rejection(new SecretBox(new KeyRing([NEW])).open(sealed, CONTEXT))).to.equal(
      'The key ring does not contain the key "2025".',
    );
  });

  it('refuses a secret that was copied to another row', async () => {
    const box = new SecretBox(new KeyRing([NEW]));
    const { sealed } = await box.seal('whsec_1', CONTEXT);
    expect(await rejection(box.open(sealed, 'endpoint_secrets.sealed:whs_2'))).to.equal(
      'A sealed secret was found in endpoint_secrets.sealed:whs_2 that belongs elsewhere.',
    );
  });

  it('refuses a secret if any part of it was changed', async () => {
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
      { alg: 'dir', enc: 'A256GCM' },
      { alg: 'A256GCMKW', enc: 'A256GCM' },
      { alg: 'A256KW', enc: 'A128CBC-HS256' },
      { alg: 'A256KW', enc: 'A128GCM' },
    ]) {
      const sealed = await new CompactEncrypt(new Uint8Array(4))
        .setProtectedHeader({ ...header, kid: '2026', ctx: CONTEXT })
        .encrypt(key);
      expect(await rejection(box.open(sealed, CONTEXT))).to.contain('not allowed');
    }
  });
});
