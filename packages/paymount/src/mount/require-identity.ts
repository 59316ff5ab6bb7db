import type { Identity } from '@paymount/oauth';

/**
 * The host's login, without which nobody could approve a platform.
 * @throws TypeError unless it has both functions
 */
export function requireIdentity(identity: Partial<Identity> | undefined): Identity {
  if (isIdentity(identity)) return identity;
  throw new TypeError(
    '`identity` of oauthRouter() needs the functions `current` and `loginUrl`: your login.',
  );
}

function isIdentity(identity: Partial<Identity> | undefined): identity is Identity {
  return typeof identity?.current === 'function' && typeof identity.loginUrl === 'function';
}
