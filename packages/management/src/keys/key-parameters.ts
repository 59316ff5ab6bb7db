import type { KeyCreate, KeyEdit, KeyUpdate, NewKey } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';

/**
 * The arguments of a new key, from parameters.
 * @throws PaymountError `parameter_missing` for a restricted key without scopes;
 *   `parameter_invalid` for scopes of another type
 */
export function toNewKey(input: Omit<KeyCreate, 'account' | 'livemode'>) {
  const { type, name, scopes, allowed_ips: allowedIps, expires_at: expiresAt } = input;
  const facts: Pick<NewKey, 'name' | 'allowedIps' | 'expiresAt'> = {
    name,
    ...(allowedIps && { allowedIps }),
    ...(expiresAt && { expiresAt }),
  };
  if (type === 'restricted') {
    if (scopes !== undefined) return { ...facts, type, scopes };
    const message = 'scopes is required: a restricted key has at least one.';
    throw new PaymountError('parameter_missing', message, { param: 'scopes' });
  }
  if (scopes === undefined) return { ...facts, type };
  const message = `Only restricted keys have scopes; the type is ${type}.`;
  throw new PaymountError('parameter_invalid', message, { param: 'scopes' });
}

/**
 * Absent fields stay as they are; null, or an empty text because forms cannot send null, removes
 * the value.
 */
export function toKeyEdit(input: KeyUpdate): KeyEdit {
  const { name, scopes, allowed_ips: allowedIps, expires_at: expiresAt } = input;
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(allowedIps === undefined ? {} : { allowedIps: allowedIps || null }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt || null }),
    confirmLockout: input.confirm_lockout,
  };
}
