import { createHmac, randomBytes } from 'node:crypto';
import { type SealingKeys, sealAndVerify } from '@paymount/auth';
import {
  MisplacedSecretError,
  PaymountError,
  type SealedRow,
  type SealedRowRepository,
  type Sealer,
  Secret,
  toError,
} from '@paymount/core/kernel';

const FINGERPRINT = 'idempotency_fingerprint';
const KEY_BYTES = 32;
/** Hexadecimal digits of an account number's fingerprint: enough that no two numbers share one. */
const NUMBER_FINGERPRINT_LENGTH = 24;
const PROBE = 'probe';

/** The dependencies for reading sealed rows. */
export interface SealedSource {
  readonly sealed: SealedRowRepository;
  readonly sealer: Sealer;
  readonly ring: SealingKeys;
}

/**
 * Checks at startup that stored secrets can be opened, with one row of each key that sealed any.
 * Otherwise deliveries would fail permanently minutes later, and retried requests would get 500.
 * @throws Error if a key is missing, or another key has its name; it says what to do
 * @throws PaymountError `unavailable` when the key provider does not answer
 */
export async function assertSecretsOpen(source: SealedSource): Promise<void> {
  await sealAndVerify(source.sealer, PROBE, PROBE);
  for (const row of await source.sealed.samples()) {
    const cause = await whyClosed(row, source);
    if (cause !== undefined) throw new Error(`${closedBy(row)} ${CURE}`, { cause });
  }
}

/**
 * The names of keys that sealed stored secrets, and that this process does not have or has with
 * other bytes: another process may have begun to seal with them since this one started.
 * @throws PaymountError `unavailable` when the database or the key provider does not answer
 */
export async function missingKeys(source: SealedSource): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const row of await source.sealed.samples()) {
    const cause = await whyClosed(row, source);
    // A misplaced secret was opened, so the key is correct.
    if (cause !== undefined && !MisplacedSecretError.is(cause)) missing.add(row.kid);
  }
  return [...missing].sort();
}

/** @returns undefined when the row opens */
async function whyClosed(
  row: SealedRow,
  { sealer, ring }: SealedSource,
): Promise<Error | undefined> {
  if ((await ring.byKid(row.kid)) === undefined) return new Error('The key is missing.');
  try {
    await sealer.open(row.sealed, row.context);
    return undefined;
  } catch (error) {
    if (PaymountError.is(error)) throw error;
    return toError(error);
  }
}

const CURE =
  'Pass the original key in sealingKeys, after the newest one (without the option: in .paymount/keys). ' +
  'To drop a key, run `npx paymount secrets rewrap` first.';

function closedBy({ kid, table }: SealedRow): string {
  return `Secrets in ${table} that were sealed with the key ${JSON.stringify(kid)} cannot be opened.`;
}

/**
 * The secret for the fingerprints of idempotent requests. It is random, created once per
 * installation and stored sealed, so that a change of sealing keys does not change fingerprints.
 */
export class FingerprintKey {
  #key: Secret<Uint8Array> | undefined;

  /** Before anything is mounted. */
  async open({ sealed, sealer }: Pick<SealedSource, 'sealed' | 'sealer'>): Promise<void> {
    const row = await sealed.installation(FINGERPRINT, (context) =>
      sealer.seal(randomBytes(KEY_BYTES).toString('base64'), context),
    );
    const text = await sealer.open(row.sealed, row.context);
    this.#key = new Secret(Buffer.from(text, 'base64'));
  }

  /** 32 bytes. */
  reveal(): Uint8Array {
    if (this.#key === undefined) throw new Error('The key of fingerprints was not opened.');
    return this.#key.reveal();
  }
}

/** Makes the fingerprints of account numbers, apart from those of requests under the same key. */
export function fingerprintWith(
  key: Pick<FingerprintKey, 'reveal'>,
): (accountNumber: string) => string {
  return (accountNumber) =>
    createHmac('sha256', key.reveal())
      .update(`bank_account:${accountNumber}`)
      .digest('hex')
      .slice(0, NUMBER_FINGERPRINT_LENGTH);
}
