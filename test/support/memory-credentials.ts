import { createHash } from 'node:crypto';
import type {
  AuthEpoch,
  AuthSync,
  Credential,
  CredentialLookup,
  CredentialReader,
  Key,
  KeyType,
  TokenLookup,
} from '@paymount/core/access';
import { mintKey } from '@paymount/core/access';
import { newId } from '@paymount/core/kernel';

/** A key that a test shows, and its row. */
export interface StoredKey {
  readonly secret: string;
  readonly credential: Credential & { readonly key: Key };
}

/** Makes a key of the given type and environment; `change` alters its row. */
export function storedKey(
  type: KeyType,
  environment: 'live' | 'test',
  change: Partial<Key> & { readonly suspended?: boolean } = {},
): StoredKey {
  const { suspended = false, ...row } = change;
  const secret = mintKey(type, environment);
  const key: Key = {
    id: newId('key'),
    version: 1,
    accountId: newId('acct'),
    environment,
    type,
    name: 'Server',
    hash: createHash('sha256').update(secret).digest(),
    redacted: `${secret.slice(0, 10)}...${secret.slice(-4)}`,
    status: 'active',
    created: new Date('2026-01-01T00:00:00Z'),
    createdBy: 'test',
    ...row,
  };
  const accountStatus = suspended ? 'suspended' : 'active';
  return { secret, credential: { key, accountStatus, accountVersion: 1 } };
}

/** Rows in memory, with a history of changes as PostgreSQL keeps it. */
export class StoredKeys implements CredentialReader {
  readonly rows = new Map<string, Credential>();
  readonly history: (AuthEpoch & { subjects: readonly string[] })[] = [
    { gen: 0n, mark: 'mark-0', subjects: [] },
  ];
  inRecovery = false;
  /** Set: every question fails with it. */
  failure: Error | undefined;
  readonly asked = { lookUps: 0, syncs: 0 };

  constructor(...keys: readonly StoredKey[]) {
    for (const { credential } of keys) this.#put(credential);
  }

  /** Stores a row and records the change, as one commit. */
  commit(credential: Credential): void {
    this.#put(credential);
    const gen = (this.history.at(-1)?.gen ?? 0n) + 1n;
    const subjects = [credential.key.id, credential.key.accountId];
    this.history.push({ gen, mark: `mark-${gen}`, subjects });
  }

  revoke(credential: Credential): void {
    this.commit({ ...credential, key: { ...credential.key, status: 'revoked' } });
  }

  async findByHash(hash: Uint8Array): Promise<CredentialLookup> {
    this.asked.lookUps += 1;
    if (this.failure) throw this.failure;
    const credential = this.rows.get(Buffer.from(hash).toString('hex'));
    return { credential, inRecovery: this.inRecovery };
  }

  /** It has no access tokens. */
  async findTokenByHash(): Promise<TokenLookup> {
    this.asked.lookUps += 1;
    if (this.failure) throw this.failure;
    return { credential: undefined, inRecovery: this.inRecovery };
  }

  async syncEpoch(seen: AuthEpoch | undefined): Promise<AuthSync> {
    this.asked.syncs += 1;
    if (this.failure) throw this.failure;
    return this.snapshot(seen);
  }

  /** What one statement sees now. */
  snapshot(seen: AuthEpoch | undefined): AuthSync {
    const { gen, mark } = this.history.at(-1) ?? { gen: 0n, mark: '' };
    const changes = seen === undefined ? [] : this.history.filter((row) => row.gen >= seen.gen);
    return { current: { gen, mark }, inRecovery: this.inRecovery, changes };
  }

  #put(credential: Credential): void {
    this.rows.set(Buffer.from(credential.key.hash).toString('hex'), credential);
  }
}

/** A request with these `Authorization` headers. */
export function requestWith(authorization: string | readonly string[] | undefined): {
  rawHeaders: readonly string[];
  address: string;
} {
  const headers = typeof authorization === 'string' ? [authorization] : [...(authorization ?? [])];
  return {
    rawHeaders: ['Host', 'localhost', ...headers.flatMap((value) => ['Authorization', value])],
    address: '192.0.2.1',
  };
}

/** `Basic` with this pair. */
export function basic(pair: string): string {
  return `Basic ${Buffer.from(pair, 'latin1').toString('base64')}`;
}
