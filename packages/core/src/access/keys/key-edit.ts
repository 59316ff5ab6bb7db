import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '../../kernel/callers/scope.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { isListed } from '../addresses/address-list.ts';
import { checkedName, invalid } from '../checks.ts';
import type { Key } from './key.ts';
import { checkedRanges, checkedScopes, isLive } from './new-key.ts';

const MAX_NAMED = 5;

/** The fields of a key that may change; absent fields stay as they are. */
export interface KeyEdit {
  /** 1-100 characters. */
  readonly name?: string;
  /** Restricted keys: at least one. */
  readonly scopes?: readonly Scope[];
  /** 1-100 addresses and CIDR ranges from which it may be used. `null`: any address. */
  readonly allowedIps?: readonly string[] | null;
  /** Accepts a list that leaves out addresses which used the key in the last 30 days. */
  readonly confirmLockout?: boolean;
  /** `null`: it never expires. A time that is not later than now ends it now. */
  readonly expiresAt?: Date | null;
}

/**
 * The key as it is after an edit.
 * @param used addresses from which the key was used; a list must contain them all
 * @throws `parameter_invalid`; `ip_list_excludes_used_addresses`; `status_transition_invalid` if
 *   the key was revoked or has expired, because neither can be restored
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
      `Key ${key.id} ${state}; only an active key can be changed.`,
    );
  }
  const { name, scopes, allowedIps, expiresAt } = edit;
  const next: { -readonly [Field in keyof Key]: Key[Field] } = { ...key };
  if (name !== undefined) next.name = checkedName(name, 100);
  if (scopes !== undefined) next.scopes = editedScopes(key, scopes);
  if (allowedIps === null) delete next.allowedIps;
  else if (allowedIps !== undefined) next.allowedIps = editedRanges(key, allowedIps, used);
  // NaN compares like a time in the past, and would end the key permanently.
  if (expiresAt && Number.isNaN(expiresAt.getTime())) {
    throw invalid('expires_at', 'This is not a valid time.');
  }
  if (expiresAt === null) delete next.expiresAt;
  else if (expiresAt !== undefined && expiresAt > now) next.expiresAt = expiresAt;
  else if (expiresAt !== undefined) next.expiresAt = next.endedAt = now;
  return next;
}

function editedScopes(key: Key, scopes: readonly Scope[]): readonly Scope[] {
  if (key.type === 'restricted') return checkedScopes(scopes);
  throw invalid('scopes', `Only restricted keys have scopes; this is a ${key.type} key.`);
}

function editedRanges(
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
