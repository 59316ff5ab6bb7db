import type { Environment, Owner } from './environment.ts';
import { type AccountId, parseId } from './id.ts';

/** The owner of a change; of one without an account, nobody: it has no rows of an account. */
export function ownerOrNobody({
  accountId,
  environment,
}: {
  readonly accountId?: AccountId;
  readonly environment: Environment;
}): Owner {
  return { accountId: accountId ?? nobody(), environment };
}

/** Whether rows of this account are those of all accounts, or of none. */
export function isNobody(accountId: AccountId): boolean {
  return accountId === nobody();
}

function nobody(): AccountId {
  const id = parseId('acct', `acct_${'0'.repeat(26)}`);
  if (id === undefined) throw new Error('Twenty-six zeros are a well-formed id.');
  return id;
}
