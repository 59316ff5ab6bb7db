import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { AccessRepositories, AccessStorage } from '../access-storage.ts';
import type { Key } from './key.ts';
import type { KeyDirectory } from './key-repository.ts';

const MAX_ACTIVE_KEYS = 100;

export interface KeyServicePorts {
  readonly access: AccessStorage;
  readonly keys: Pick<KeyDirectory, 'find'>;
  readonly clock: Clock;
  /** Stores the recorded usage of keys in this process; never rejects. */
  readonly flushUsage?: () => Promise<void>;
  /** 2-8 letters or digits that mark the keys of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
}

/** A key as stored, and the key itself, which is shown only once. */
export interface CreatedKey {
  readonly key: Key;
  readonly secret: string;
}

/**
 * Locks the account's row, so that two callers at the limit see each other's keys.
 * @throws `resource_missing`
 */
export async function lockAccount(
  { accounts }: AccessRepositories,
  { accountId }: Owner,
): Promise<void> {
  if ((await accounts.findForUpdate(accountId)) === undefined) throw missing('account', accountId);
}

/**
 * The caller locked the account's row. @throws `key_limit_reached` if the account has the maximum
 */
export async function assertKeyCapacity(
  { keys }: AccessRepositories,
  owner: Owner,
  now: Date,
): Promise<void> {
  if ((await keys.countActive(owner, now)) >= MAX_ACTIVE_KEYS) {
    throw new PaymountError('key_limit_reached');
  }
}

/** The target of an audit row. */
export function toAuditTarget({ id, accountId, environment }: Key) {
  return { target: id, accountId, environment };
}
