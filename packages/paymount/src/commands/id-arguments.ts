import { type AccountId, type KeyId, parseId } from '@paymount/core';
import { UsageError } from './terminal.ts';

/** @throws UsageError */
export function accountIdOf(text: string): AccountId {
  const id = parseId('acct', text);
  if (id === undefined) throw new UsageError(`${text} is no account id (acct_...).`);
  return id;
}

/** Does not echo what it was given, which may be the key itself. @throws UsageError */
export function keyIdOf(text: string): KeyId {
  const id = parseId('key', text);
  if (id !== undefined) return id;
  throw new UsageError('Name the key by its id (key_...), as `paymount keys list` shows it.');
}
