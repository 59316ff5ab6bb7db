import { Secret } from '@paymount/core/kernel';
import { MAKE_SEALING_KEY, type SealingKey, type SealingKeys } from './sealing-keys.ts';

/** One sealing key as the host passes it. */
export interface RingKey {
  /** Its name, stored with each secret that it sealed: 1-64 letters, digits, `.`, `_`, `-`. */
  readonly kid: string;
  /** 32 random bytes, as they are or in base64. */
  readonly key: string | Uint8Array;
}

const KEY_BYTES = 32;
const KID = /^[0-9A-Za-z._-]{1,64}$/;
const BASE64_KEY = /^[A-Za-z0-9+/]{43}=$/;
const BASE64_LENGTH = 44;

/** Sealing keys that the host holds itself, newest first: the first one seals, all of them open. */
export class KeyRing implements SealingKeys {
  readonly #newest: SealingKey;
  readonly #keys: ReadonlyMap<string, SealingKey>;
  readonly generated: boolean;

  /** @throws RangeError when the ring is empty, names a key twice, or a key is not 32 bytes */
  constructor(keys: readonly RingKey[], generated = false) {
    const held = keys.map(toSealingKey);
    const [newest] = held;
    if (newest === undefined) throw new RangeError('The list of sealing keys is empty.');
    this.#newest = newest;
    this.#keys = new Map(held.map((key) => [key.kid, key]));
    if (this.#keys.size !== keys.length)
      throw new RangeError('Two sealing keys have the same name.');
    this.generated = generated;
  }

  async current(): Promise<SealingKey> {
    return this.#newest;
  }

  async byKid(kid: string): Promise<SealingKey | undefined> {
    return this.#keys.get(kid);
  }
}

/**
 * Reads a ring written as text, as in an environment variable.
 * @param text `name:base64` pairs, newest first, between commas: `2026:q83v...=,2025:EjRW...=`
 * @throws RangeError, which names the pair by its position and never contains it
 */
export function parseKeyRing(text: string): RingKey[] {
  return text
    .trim()
    .split(',')
    .map((pair, index) => {
      const colon = pair.indexOf(':');
      if (colon === -1) throw new RangeError(`Key ${index + 1} must be written as name:base64.`);
      return { kid: pair.slice(0, colon).trim(), key: pair.slice(colon + 1).trim() };
    });
}

/** Whether a text can be the name of a key. */
export function isKid(kid: string): boolean {
  return KID.test(kid);
}

/**
 * Reads a key of the host.
 * @throws RangeError if its name is invalid, or it is not 32 bytes; the message never contains the
 *   key
 */
export function toSealingKey({ kid, key }: RingKey): SealingKey {
  if (!isKid(kid)) {
    throw new RangeError(
      'The name of a sealing key must be 1 to 64 letters, digits, dots, _ or -.',
    );
  }
  return { kid, key: new Secret(decodeKey(kid, key)) };
}

function decodeKey(kid: string, key: string | Uint8Array): Uint8Array {
  if (typeof key === 'string') {
    if (BASE64_KEY.test(key)) return Buffer.from(key, 'base64');
  } else if (key.length === KEY_BYTES) {
    return Uint8Array.from(key);
  }
  throw new RangeError(
    `The sealing key ${kid} must be 32 bytes in base64 (44 characters), but ${describeKeyFault(key)}. ` +
      `To make a key, run: ${MAKE_SEALING_KEY}`,
  );
}

/** What is wrong with a key, without any part of it. */
function describeKeyFault(key: string | Uint8Array): string {
  if (key.length === 0) return 'it is empty; is its environment variable set?';
  if (typeof key !== 'string') return `it has ${key.length} bytes`;
  if (key.length !== BASE64_LENGTH) return `it has ${key.length} characters`;
  return 'its characters are not base64';
}
