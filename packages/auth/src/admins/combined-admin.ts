import { PaymountError } from '@paymount/core/kernel';
import {
  type Admin,
  type Authenticator,
  assertAdmin,
  CredentialMissing,
  unauthenticated,
} from './admin.ts';

/**
 * Admins whom every one of these authenticates, for example by a certificate and a token. The first
 * determines the id and the roles; accounts and environments are those that all of them allow. The
 * login time and the token are those of the first authenticator that has them.
 * @throws TypeError for an invalid authenticator
 */
export function allOf(first: Authenticator, ...others: readonly Authenticator[]): Authenticator {
  requireAuthenticators('allOf', [first, ...others]);
  return async (request, now) => {
    const admin = await first(request, now);
    const admins = [admin];
    for (const other of others) admins.push(await other(request, now));
    for (const each of admins) assertAdmin(each);
    const authTime = admins.find((each) => each.authTime !== undefined)?.authTime;
    const tokenId = admins.find((each) => each.tokenId !== undefined)?.tokenId;
    return {
      ...admin,
      accounts: admins.map(({ accounts }) => accounts).reduce(inBoth),
      environments: admin.environments.filter((name) =>
        admins.every(({ environments }) => environments.includes(name)),
      ),
      via: admins.map(({ via }) => via).join('+'),
      ...(authTime === undefined ? {} : { authTime }),
      ...(tokenId === undefined ? {} : { tokenId }),
    };
  };
}

function inBoth(some: Admin['accounts'], others: Admin['accounts']): Admin['accounts'] {
  if (some === 'all') return others;
  return others === 'all' ? some : some.filter((id) => others.includes(id));
}

/**
 * Admins whom at least one of these authenticates; they are called in this order, and the first
 * that recognizes the admin decides. An authenticator that recognizes the admin but forbids the
 * request (403) ends the search, so that no later one accepts a request that it refused, such as a
 * write without the header of a session.
 * @returns an authenticator; if none recognizes an admin it throws the first error other than 401,
 *   such as keys that cannot be fetched
 * @throws TypeError without any authenticator, or for an invalid one
 */
export function anyOf(...authenticators: readonly Authenticator[]): Authenticator {
  requireAuthenticators('anyOf', authenticators);
  return async (request, now): Promise<Admin> => {
    let refusal: PaymountError | undefined;
    for (const authenticate of authenticators) {
      try {
        return await authenticate(request, now);
      } catch (error) {
        if (!PaymountError.is(error)) throw error;
        if (error.code === 'permission_denied') throw error;
        if (refusal === undefined || errorRank(error) > errorRank(refusal)) refusal = error;
      }
    }
    throw refusal ?? unauthenticated('No authenticator recognized an admin.');
  };
}

/** The kind of an error: no credential, an invalid credential, or another error. */
function errorRank(refusal: PaymountError): number {
  if (CredentialMissing.is(refusal)) return 0;
  return refusal.code === 'admin_unauthenticated' ? 1 : 2;
}

/** Checked when mounted, not at the first request. */
function requireAuthenticators(name: string, given: readonly Authenticator[]): void {
  if (given.length > 0 && given.every((one) => typeof one === 'function')) return;
  throw new TypeError(
    `${name}() takes at least one authenticator, such as jwtAdmin({ issuer, audience, jwksUri }).`,
  );
}
