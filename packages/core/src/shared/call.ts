import type { Owner } from './environment.ts';
import type { Call } from './principal.ts';

/** The account and environment that a call acts for. */
export function ownerOf(call: Call): Owner {
  return { accountId: call.principal.accountId, environment: call.principal.environment };
}
