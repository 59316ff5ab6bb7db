import { PaymountError } from '@paymount/core/kernel';
import {
  type Admin,
  type Authenticator,
  assertAdmin,
  CredentialMissing,
  unauthenticated,
} from './admin.ts';

/**
 * Admins that every one of these knows: a certificate and a token, say. The first names the admin,
 * with its roles; accounts and environments are those that all of them give. When the person signed
 * in says the first of them that knows, and so for the token.
 * @throws TypeError for one that is none
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
 * Admins that at least one of these knows; they are asked in this order, and the first that knows
 * the admin answers. One that knows the admin and forbids the request (403) ends the search, so
 * that none behind it lets in what it refused: a write without the header of a session, say.
 * @returns an authenticator; when none knows an admin it gives the first refusal that is more
 *   than that: keys that cannot be fetched
 * @throws TypeError without any, and for one that is none
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
        if (refusal === undefined || weightOf(error) > weightOf(refusal)) refusal = error;
      }
    }
    throw refusal ?? unauthenticated('No authenticator knows an admin.');
  };
}

/** What a refusal says: that nothing was sent, that it proved nobody, or more. */
function weightOf(refusal: PaymountError): number {
  if (CredentialMissing.is(refusal)) return 0;
  return refusal.code === 'admin_unauthenticated' ? 1 : 2;
}

/** At the mount, not by the first admin. */
function requireAuthenticators(name: string, given: readonly Authenticator[]): void {
  if (given.length > 0 && given.every((one) => typeof one === 'function')) return;
  throw new TypeError(
    `${name}() takes authenticators, one at least: such as jwtAdmin({ issuer, audience, jwksUri }).`,
  );
}
