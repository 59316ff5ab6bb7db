import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type Authenticator, jwtAdmin } from 'paymount';
import type { StaffMember } from './staff.ts';

/** The shop's own access tokens (RFC 9068), with which its staff use the management API. */
export interface StaffTokens {
  /** Issues a token for a person who has just signed in. */
  issue(member: StaffMember): Promise<string>;
  /** Finds the admin of the token in a request. */
  readonly authenticate: Authenticator;
}

/** 15 minutes. */
export const TOKEN_SECONDS = 900;

const ISSUER = 'https://tea-shop.example/staff';
const AUDIENCE = 'https://tea-shop.example/admin/payments';
const ALGORITHM = 'ES256';

/**
 * Makes the key that signs tokens. It exists only in this process, so a restart signs everyone out.
 * Several processes would share a key and publish its public part for `jwtAdmin({ jwksUri })`.
 */
export async function openStaffTokens(): Promise<StaffTokens> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
  const kid = randomUUID();
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: ALGORITHM }] };
  return {
    issue({ id, name, roles }) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ name, roles: [...roles], auth_time: now })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt', kid })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(id)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + TOKEN_SECONDS)
        .sign(privateKey);
    },
    authenticate: jwtAdmin({ issuer: ISSUER, audience: AUDIENCE, jwks, algorithms: [ALGORITHM] }),
  };
}
