import type { Sealer } from '@paymount/core';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { KeyRing } from './key-ring.ts';
import type { Secret } from './secret.ts';

const KEY_MANAGEMENT = 'dir';
const ENCRYPTION = 'A256GCM';

/**
 * Seals secrets that must be read back as compact JWE (RFC 7516). The
 * algorithms are pinned, and the context is part of what is authenticated: a ciphertext that
 * was copied to another row does not open.
 */
export class SecretBox implements Sealer {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  async seal(plain: string, context: string): Promise<{ sealed: string; kid: string }> {
    const kid = this.#ring.newest;
    const sealed = await new CompactEncrypt(new TextEncoder().encode(plain))
      .setProtectedHeader({ alg: KEY_MANAGEMENT, enc: ENCRYPTION, kid, ctx: context })
      .encrypt(this.#key(kid).reveal());
    return { sealed, kid };
  }

  async open(sealed: string, context: string): Promise<string> {
    const { plaintext, protectedHeader } = await compactDecrypt(
      sealed,
      ({ kid }) => this.#key(kid ?? '').reveal(),
      { keyManagementAlgorithms: [KEY_MANAGEMENT], contentEncryptionAlgorithms: [ENCRYPTION] },
    );
    if (protectedHeader['ctx'] !== context) {
      throw new Error(`A sealed secret was found in ${context} that belongs elsewhere.`);
    }
    return new TextDecoder().decode(plaintext);
  }

  #key(kid: string): Secret<Uint8Array> {
    const key = this.#ring.find(kid);
    if (key === undefined) throw new Error(`The key ring lacks the key ${JSON.stringify(kid)}.`);
    return key;
  }
}
