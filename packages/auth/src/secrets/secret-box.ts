import { type Environment, MisplacedSecretError, type Sealer } from '@paymount/core/kernel';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { requireOwnKeys, type SealingKeys } from './sealing-keys.ts';

/**
 * Wraps a new content key for each secret. Without a nonce: random nonces would limit how often a
 * key may be used (NIST SP 800-38D, section 8.3, which applies to `dir` and `A256GCMKW`).
 */
const KEY_WRAP = 'A256KW';
const ENCRYPTION = 'A256GCM';

/**
 * Seals secrets that must be read back as compact JWE (RFC 7516). The algorithms are fixed, and the
 * context is authenticated: a ciphertext that was copied to another row does not open.
 */
export class SecretBox implements Sealer {
  readonly #keys: SealingKeys;

  constructor(keys: SealingKeys) {
    this.#keys = keys;
  }

  async seal(
    plain: string,
    context: string,
    environment?: Environment,
  ): Promise<{ sealed: string; kid: string }> {
    if (environment === 'live') requireOwnKeys(this.#keys);
    const { kid, key } = await this.#keys.current();
    const sealed = await new CompactEncrypt(new TextEncoder().encode(plain))
      .setProtectedHeader({ alg: KEY_WRAP, enc: ENCRYPTION, kid, ctx: context })
      .encrypt(key.reveal());
    return { sealed, kid };
  }

  async open(sealed: string, context: string): Promise<string> {
    const { plaintext, protectedHeader } = await compactDecrypt(
      sealed,
      ({ kid }) => this.#key(kid ?? ''),
      { keyManagementAlgorithms: [KEY_WRAP], contentEncryptionAlgorithms: [ENCRYPTION] },
    );
    if (protectedHeader['ctx'] !== context) {
      throw new MisplacedSecretError(
        `A sealed secret was found in ${context} that belongs elsewhere.`,
      );
    }
    return new TextDecoder().decode(plaintext);
  }

  async #key(kid: string): Promise<Uint8Array> {
    const found = await this.#keys.byKid(kid);
    if (found === undefined)
      throw new Error(`The key ring does not contain the key ${JSON.stringify(kid)}.`);
    return found.key.reveal();
  }
}
