import { type Key, PaymountError, type Scope } from '@paymount/core';
import { checkedName, invalid } from './checks.ts';
import { checkedScopes, isLive } from './new-key.ts';

/** What may change of a key; absent stays as it is. */
export interface KeyEdit {
  /** 1-100 characters. */
  readonly name?: string;
  /** Restricted keys: at least one. */
  readonly scopes?: readonly Scope[];
  /** `null`: until it is revoked. Not later than now: it ends now. */
  readonly expiresAt?: Date | null;
}

/**
 * The key as it is after an edit, or the very same when nothing changes.
 * @throws `parameter_invalid`; `status_transition_invalid` when the key was revoked or has
 *   expired, as neither comes back to life
 */
export function editKey(key: Key, edit: KeyEdit, now: Date): Key {
  if (!isLive(key, now)) {
    const state = key.status === 'revoked' ? 'is revoked' : 'has expired';
    throw new PaymountError(
      'status_transition_invalid',
      `Key ${key.id} ${state}; only a key that works can be changed.`,
    );
  }
  const { name, scopes, expiresAt } = edit;
  const parts: Partial<Key>[] = [];
  if (name !== undefined && name.trim() !== key.name) parts.push({ name: checkedName(name, 100) });
  if (scopes !== undefined) parts.push(scopesOf(key, scopes));
  if (expiresAt !== undefined && expiresAt !== null) {
    parts.push({ expiresAt: expiresAt > now ? expiresAt : now });
  }
  if (expiresAt === null && key.expiresAt !== undefined) {
    const { expiresAt: _, ...unlimited } = key;
    return Object.assign(unlimited, ...parts);
  }
  return parts.length === 0 ? key : Object.assign({ ...key }, ...parts);
}

function scopesOf(key: Key, scopes: readonly Scope[]): Partial<Key> {
  if (key.type === 'restricted') return { scopes: checkedScopes(scopes) };
  throw invalid('scopes', `Only restricted keys have scopes; this is a ${key.type} key.`);
}
