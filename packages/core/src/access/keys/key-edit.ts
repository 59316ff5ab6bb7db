import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '../../kernel/callers/scope.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { isListed } from '../addresses/address-list.ts';
import { checkedName, invalid } from '../checks.ts';
import type { Key } from './key.ts';
import { checkedRanges, checkedScopes, isLive } from './new-key.ts';

const MAX_NAMED = 5;

/** What may change of a key; absent stays as it is. */
export interface KeyEdit {
  /** 1-100 characters. */
  readonly name?: string;
  /** Restricted keys: at least one. */
  readonly scopes?: readonly Scope[];
  /** 1-100 addresses and CIDR ranges, from which alone it may be used. `null`: any address. */
  readonly allowedIps?: readonly string[] | null;
  /** Takes a list that leaves out addresses which used the key in the last 30 days. */
  readonly confirmLockout?: boolean;
  /** `null`: until it is revoked. Not later than now: it ends now. */
  readonly expiresAt?: Date | null;
}

/**
 * The key as it is after an edit.
 * @param used addresses from which the key was used; a list must hold them all
 * @throws `parameter_invalid`; `ip_list_excludes_used_addresses`; `status_transition_invalid`
 *   when the key was revoked or has expired, as neither comes back to life
 */
export function editKey(
  key: Key,
  edit: KeyEdit,
  { now, used }: { readonly now: Date; readonly used: readonly string[] },
): Key {
  if (!isLive(key, now)) {
    const state = key.status === 'revoked' ? 'is revoked' : 'has expired';
    throw new PaymountError(
      'status_transition_invalid',
      `Key ${key.id} ${state}; only a key that works can be changed.`,
    );
  }
  const { name, scopes, allowedIps, expiresAt } = edit;
  const next: { -readonly [Field in keyof Key]: Key[Field] } = { ...key };
  if (name !== undefined) next.name = checkedName(name, 100);
  if (scopes !== undefined) next.scopes = scopesOf(key, scopes);
  if (allowedIps === null) delete next.allowedIps;
  else if (allowedIps !== undefined) next.allowedIps = rangesOf(key, allowedIps, used);
  // It compares as if it had passed, and would end the key for good.
  if (expiresAt && Number.isNaN(expiresAt.getTime())) {
    throw invalid('expires_at', 'This is no moment in time.');
  }
  if (expiresAt === null) delete next.expiresAt;
  else if (expiresAt !== undefined && expiresAt > now) next.expiresAt = expiresAt;
  else if (expiresAt !== undefined) next.expiresAt = next.endedAt = now;
  return next;
}

function scopesOf(key: Key, scopes: readonly Scope[]): readonly Scope[] {
  if (key.type === 'restricted') return checkedScopes(scopes);
  throw invalid('scopes', `Only restricted keys have scopes; this is a ${key.type} key.`);
}

function rangesOf(
  key: Key,
  allowedIps: readonly string[],
  used: readonly string[],
): readonly string[] {
  const ranges = checkedRanges(key.type, allowedIps);
  if (isDeepStrictEqual(ranges, key.allowedIps)) return ranges;
  const excluded = used.filter((address) => !isListed(ranges, address));
  if (excluded.length > 0) throw lockout(excluded);
  return ranges;
}

function lockout(excluded: readonly string[]): PaymountError {
  const named = excluded.slice(0, MAX_NAMED).join(', ');
  const rest = excluded.length - MAX_NAMED;
  return new PaymountError(
    'ip_list_excludes_used_addresses',
    `The key was used in the last 30 days from ${named}${rest > 0 ? ` and ${rest} more` : ''}, which the list leaves out.`,
    { param: 'allowed_ips' },
  );
}
