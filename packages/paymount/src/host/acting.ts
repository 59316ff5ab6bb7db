import {
  type AccountId,
  type AllOptions,
  ANY_OPTION,
  assertOptions,
  type Call,
  ENVIRONMENTS,
  type Environment,
  missing,
  newId,
  PaymountError,
  parseId,
  requireOneOf,
} from '@paymount/core/kernel';

/** The account and environment that the host's own code acts for. */
export interface Acting {
  /** The account's id, `acct_...`. */
  readonly account: string;
  readonly environment: Environment;
  /**
   * Like the header `Idempotency-Key`, for calls that change something: a call repeated with the
   * same parameters does nothing and returns the same answer.
   */
  readonly idempotencyKey?: string;
}

const KNOWN: AllOptions<Acting> = {
  account: ANY_OPTION,
  environment: ANY_OPTION,
  idempotencyKey: ANY_OPTION,
};

/**
 * A call without a key. Whether the account exists is checked when something is written for it.
 * @throws PaymountError `parameter_missing`, `parameter_invalid`, `resource_missing` if account or
 *   environment is missing or wrong; TypeError for an unknown member
 */
export function toCall(acting: Acting): Call {
  // JavaScript callers may leave out required members, or pass only an id.
  const given: Partial<Acting> = typeof acting === 'object' ? { ...acting } : {};
  assertOptions('acting', KNOWN, given);
  return {
    requestId: newId('req'),
    principal: {
      kind: 'host',
      accountId: requireAccount(given.account),
      environment: requireEnvironment(given.environment),
      scopes: 'all',
    },
  };
}

function requireAccount(account: string | undefined): AccountId {
  if (account === undefined) throw required('account');
  const id = parseId('acct', account);
  if (id === undefined) throw missing('account', account, 'account');
  return id;
}

function requireEnvironment(environment: Environment | undefined): Environment {
  if (environment === undefined) throw required('environment');
  return requireOneOf('environment', environment, ENVIRONMENTS);
}

function required(param: string): PaymountError {
  return new PaymountError('parameter_missing', `${param} is required.`, { param });
}
