import { usage } from '@paymount/cli';
import type { KeyEdit, KeyType, NewKey } from '@paymount/core/access';
import { type Environment, SCOPES, type Scope } from '@paymount/core/kernel';
import { systemClock } from '../../adapters/system-clock.ts';
import { parseAccountId } from '../id-arguments.ts';
import { parseMoment } from '../time-flags.ts';

export interface KeyFlags {
  readonly account: string;
  readonly environment: Environment;
  readonly type: KeyType;
  readonly name: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly allowIp?: readonly string[];
}

export interface KeyEditFlags {
  readonly name?: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly allowIp?: readonly string[];
  readonly anyIp?: true;
  readonly confirmLockout?: true;
}

/** The input of `keys create`. @throws CommandFailure */
export function toNewKey(flags: KeyFlags, createdBy: string): NewKey {
  const { account, environment, type, name, scopes, expires, allowIp } = flags;
  const base = {
    accountId: parseAccountId(account),
    environment,
    name,
    createdBy,
    ...(allowIp && { allowedIps: allowIp }),
    ...(expires === undefined ? {} : { expiresAt: parseExpiry(expires) }),
  };
  if (type !== 'restricted') {
    if (scopes !== undefined) throw usage('--scopes is for keys of type restricted.');
    return { ...base, type };
  }
  if (scopes === undefined) throw usage('A restricted key needs --scopes.');
  return { ...base, type, scopes: parseScopes(scopes) };
}

/** The input of `keys update`. @throws CommandFailure */
export function toKeyEdit(flags: KeyEditFlags): KeyEdit {
  const { name, scopes, expires, allowIp, anyIp, confirmLockout } = flags;
  if (allowIp && anyIp) throw usage('--allow-ip and --any-ip exclude each other.');
  const edit: KeyEdit = {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes: parseScopes(scopes) }),
    ...(allowIp && { allowedIps: allowIp }),
    ...(anyIp && { allowedIps: null }),
    ...(expires === undefined
      ? {}
      : { expiresAt: expires === 'never' ? null : parseExpiry(expires) }),
  };
  if (Object.keys(edit).length === 0) {
    throw usage('Say what to change: --name, --scopes, --expires, --allow-ip or --any-ip.');
  }
  return { ...edit, ...(confirmLockout && { confirmLockout }) };
}

function parseExpiry(expires: string): Date {
  const now = systemClock.now();
  return expires === 'now' ? now : parseMoment('--expires', expires, { now, fromNow: 1 });
}

function parseScopes(text: string): readonly Scope[] {
  return text.split(',').map((part) => {
    const scope = SCOPES.find((known) => known === part.trim());
    if (scope !== undefined) return scope;
    const unknown = part.trim() === '' ? '--scopes has an empty one' : `There is no scope ${part}`;
    throw usage(`${unknown}; the scopes are ${SCOPES.join(', ')}.`);
  });
}
