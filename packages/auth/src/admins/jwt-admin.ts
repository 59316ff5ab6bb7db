import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@paymount/core/access';
import {
  type AllOptions,
  ANY_OPTION,
  assertOptions,
  type Environment,
  PaymountError,
  parseId,
  toOneLine,
} from '@paymount/core/kernel';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import {
  type Admin,
  type Authenticator,
  CredentialMissing,
  isActorId,
  unauthenticated,
} from './admin.ts';
import { bearerToken } from './bearer-token.ts';

/** All public-key algorithms of jose; with a shared secret a verifier could sign. */
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
] as const;
type Algorithm = (typeof ASYMMETRIC)[number];

const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;
const SKEW_SECONDS = 5;
const FETCH_LIMIT_MS = 5_000;
const DEFAULT_REFETCH_SECONDS = 30;
const MAX_AGE = /^([1-9]\d{0,4})([smh])$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
/** Ids of used tokens are kept for a day. */
const MAX_AGE_SECONDS = 43_200;

/** RFC 7517, section 4. CommonJS hosts could not use jose's type. */
type PublicKey = { readonly kty?: string; readonly [member: string]: unknown };

export type JwtAdminOptions = {
  /** The `iss` of admins' tokens. It is not part of an admin's id, which is the `sub`. */
  readonly issuer: string;
  /** The `aud` of tokens for this API. */
  readonly audience: string;
  /** Only asymmetric ones. @defaultValue RS256, PS256, ES256, EdDSA, Ed25519 */
  readonly algorithms?: readonly Algorithm[];
  /** Claim with the names of roles: an array, or a text with spaces. @defaultValue `roles` */
  readonly rolesClaim?: string;
  /** Claim with the ids of accounts an admin may see. @defaultValue every admin sees all */
  readonly accountsClaim?: string;
  /** Claim with `live`, `test` or both. @defaultValue every admin sees both */
  readonly environmentsClaim?: string;
  /**
   * The maximum age of a token, even if its `exp` is later: `15m`, at most `12h`.
   * @defaultValue `15m`
   */
  readonly maxTokenAge?: string;
} & (
  | { readonly jwks: { readonly keys: PublicKey[] } }
  | {
      /** The URL of the issuer's keys; https, or http on this machine. */
      readonly jwksUri: string;
      /** An unknown key id causes a new fetch of the keys, at most this often. @defaultValue 30 */
      readonly refetchSeconds?: number;
    }
);

const OPTIONS: AllOptions<JwtAdminOptions> = {
  issuer: ANY_OPTION,
  audience: ANY_OPTION,
  algorithms: ANY_OPTION,
  rolesClaim: ANY_OPTION,
  accountsClaim: ANY_OPTION,
  environmentsClaim: ANY_OPTION,
  maxTokenAge: ANY_OPTION,
  jwks: ANY_OPTION,
  jwksUri: ANY_OPTION,
  refetchSeconds: ANY_OPTION,
};

/**
 * Admins by access tokens of the host's own issuer (RFC 9068): signed asymmetrically, `typ` of
 * `at+jwt`, with `exp`, `iat` and `sub`; 5 s of clock skew. `auth_time` is the time of the login.
 * @throws Error for options that would accept any token, or none
 * @returns an authenticator; it answers 401 `admin_unauthenticated`, 400 `multiple_credentials`,
 *   and 503 `unavailable` while the issuer's keys cannot be fetched
 */
export function jwtAdmin(options: JwtAdminOptions): Authenticator {
  if (typeof options !== 'object') {
    throw new TypeError('jwtAdmin() needs the issuer: pass { issuer, audience, jwksUri }.');
  }
  assertOptions('jwtAdmin()', OPTIONS, options);
  const keys = createKeySet(options);
  const verification = {
    issuer: required('issuer', options.issuer),
    audience: required('audience', options.audience),
    algorithms: checkedAlgorithms(options.algorithms ?? DEFAULT_ALGORITHMS),
    maxTokenAge: ageInSeconds(options.maxTokenAge ?? '15m'),
    typ: 'at+jwt',
    requiredClaims: ['exp', 'iat', 'sub'],
    clockTolerance: SKEW_SECONDS,
  };
  return async (request: IncomingMessage, now: Date) => {
    const token = bearerToken(request);
    if (token === undefined) throw tokenMissing(request);
    try {
      const { payload } = await jwtVerify(token, keys, { ...verification, currentDate: now });
      return adminIn(payload, options);
    } catch (error) {
      throw error instanceof errors.JOSEError ? unauthenticated(describeJoseError(error)) : error;
    }
  };
}

/** A credential with another scheme also counts as one, although it is wrong. */
function tokenMissing({ headers }: IncomingMessage): PaymountError {
  const message = 'Send `Authorization: Bearer` with a token.';
  return headers.authorization === undefined
    ? new CredentialMissing(message)
    : unauthenticated(message);
}

function createKeySet(options: JwtAdminOptions): JWTVerifyGetKey {
  if ('jwks' in options) {
    if (!Array.isArray(options.jwks?.keys)) {
      throw new TypeError('`jwks` must be a set of keys: an object with a list `keys`.');
    }
    const secret = options.jwks.keys.some((key) => 'k' in key || 'd' in key);
    if (secret) throw new Error('`jwks` contains a secret key; it may contain only public keys.');
    return createLocalJWKSet(options.jwks);
  }
  const { jwksUri, refetchSeconds = DEFAULT_REFETCH_SECONDS } = options;
  const fetched = createRemoteJWKSet(checkedUri(jwksUri), {
    timeoutDuration: FETCH_LIMIT_MS,
    cooldownDuration: refetchSeconds * 1_000,
  });
  return async (header, token) => {
    try {
      return await fetched(header, token);
    } catch (error) {
      if (isUnknownKeyError(error)) throw error;
      throw new PaymountError('unavailable', 'The keys of the issuer cannot be fetched.', {
        cause: error,
      });
    }
  };
}

/** Other errors are a failure to fetch: whether the token is valid is unknown. */
function isUnknownKeyError(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function adminIn(payload: JWTPayload, options: JwtAdminOptions): Admin {
  const { sub, jti, name } = payload;
  const authTime = authTimeIn(payload);
  if (!isActorId(sub)) throw unauthenticated('The `sub` of the token is not a valid admin id.');
  return {
    id: sub,
    displayName: typeof name === 'string' ? toOneLine(name.slice(0, 200)) : sub,
    roles: namesIn(payload[options.rolesClaim ?? 'roles']),
    accounts:
      options.accountsClaim === undefined ? 'all' : accountsIn(payload[options.accountsClaim]),
    environments:
      options.environmentsClaim === undefined
        ? ['live', 'test']
        : environmentsIn(payload[options.environmentsClaim]),
    ...(authTime && { authTime }),
    via: 'jwt',
    ...(typeof jti === 'string' && jti !== '' ? { tokenId: jti } : {}),
  };
}

/** When the person signed in (OpenID Connect Core 1.0, section 2); in unix seconds. */
function authTimeIn({ auth_time: seconds }: JWTPayload): Date | undefined {
  if (typeof seconds !== 'number') return undefined;
  const authTime = new Date(seconds * 1_000);
  if (!Number.isNaN(authTime.getTime())) return authTime;
  throw unauthenticated('The `auth_time` of the token is not a valid timestamp.');
}

/** Names in a claim; an absent claim or one of another type has no names. */
function namesIn(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((name) => name !== '');
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : [];
}

function accountsIn(claim: unknown): Admin['accounts'] {
  if (claim === 'all') return 'all';
  return namesIn(claim).flatMap((name) => parseId('acct', name) ?? []);
}

function environmentsIn(claim: unknown): readonly Environment[] {
  return namesIn(claim).filter((name) => name === 'live' || name === 'test');
}

/** What is wrong with a token, in our own words: jose's messages may repeat parts of it. */
function describeJoseError(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired; get a new one.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The token is not accepted because of its \`${error.claim}\`.`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return 'The signature of the token does not verify.';
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return 'The token is signed with an algorithm that is not accepted.';
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return 'The issuer publishes no key that the token could be signed with.';
  }
  return 'The value after Bearer is not a token that can be verified.';
}

function required(name: string, text: string): string {
  if (typeof text !== 'string' || text === '') throw new Error(`\`${name}\` is empty.`);
  return text;
}

function checkedAlgorithms(algorithms: readonly Algorithm[]): Algorithm[] {
  const known: readonly string[] = ASYMMETRIC;
  const unknown = algorithms.find((algorithm) => !known.includes(algorithm));
  if (algorithms.length === 0 || unknown !== undefined) {
    throw new Error(`\`algorithms\` must be a list with values of ${ASYMMETRIC.join(', ')}.`);
  }
  return [...algorithms];
}

function ageInSeconds(age: string): number {
  const [, count, unit = ''] = MAX_AGE.exec(age) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0);
  if (seconds > 0 && seconds <= MAX_AGE_SECONDS) return seconds;
  throw new Error(
    '`maxTokenAge` must be a number of seconds, minutes or hours, such as 900s or 15m; at most 12h.',
  );
}

function checkedUri(text: string): URL {
  if (!URL.canParse(text)) {
    throw new TypeError(
      'Pass the keys of the issuer: `jwksUri`, their https:// URL, or `jwks`, the set itself.',
    );
  }
  const uri = new URL(text);
  if (uri.protocol === 'https:' || (uri.protocol === 'http:' && isLoopback(uri.hostname)))
    return uri;
  throw new Error('`jwksUri` must begin with https://; http is allowed only for this machine.');
}
