import type { Account } from '../../api/resources.ts';

/** What the user has entered; a field that was not touched is absent. */
export interface AccountDraft {
  readonly name?: string;
  readonly email?: string;
}

/** What differs from the account, as the server takes it: another user may have changed the rest. */
export function changesOf(
  { name, email }: AccountDraft,
  account: Pick<Account, 'name' | 'email'>,
): { readonly name?: string; readonly email?: string | null } {
  return {
    ...(name !== undefined && name !== account.name && { name }),
    ...(email !== undefined && email !== (account.email ?? '') && { email: email || null }),
  };
}
