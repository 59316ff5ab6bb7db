import {
  type Authenticator,
  type ClientAddresses,
  CredentialMissing,
  type Limits,
  pageKind,
  type TryOutcome,
} from '@paymount/auth';
import { PaymountError } from '@paymount/core/kernel';

export interface LoginLimitPorts {
  readonly authenticate: Authenticator;
  readonly limits: Pick<Limits, 'startTry'>;
  readonly clients: ClientAddresses;
  /** The origins of the host's own pages; absent: the origin to which a request was sent. */
  readonly origins?: readonly string[];
}

/**
 * An authenticator that refuses an address with too many failed logins before the login. Requests
 * that a page of another site makes a browser send are counted separately, so that they cannot lock
 * admins out.
 * @returns an authenticator; besides those of `authenticate`, it throws 429 `rate_limit`, and 503
 *   `unavailable` if too many logins of the address wait
 */
export function limitLogins({
  authenticate,
  limits,
  clients,
  origins,
}: LoginLimitPorts): Authenticator {
  return async (request, now) => {
    const isOwn = pageKind(request, origins) === 'own page';
    const tried = await limits.startTry(
      isOwn ? 'admin' : 'foreign page',
      clients.ofRequest(request),
    );
    let outcome: TryOutcome = 'open';
    try {
      const admin = await authenticate(request, now);
      outcome = 'good';
      return admin;
    } catch (error) {
      if (isBadLogin(error)) outcome = 'bad';
      throw error;
    } finally {
      tried.end(outcome);
    }
  };
}

function isBadLogin(error: unknown): boolean {
  if (error instanceof CredentialMissing) return false;
  return PaymountError.is(error) && error.code === 'admin_unauthenticated';
}
