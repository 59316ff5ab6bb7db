import type { Identity } from '@paymount/auth';

/**
 * The host's login, without which nobody could be recognized.
 * @param taker the function whose option it is
 * @throws TypeError unless it has both functions
 */
export function requireIdentity(identity: Partial<Identity> | undefined, taker: string): Identity {
  if (isIdentity(identity)) return identity;
  throw new TypeError(
    `\`identity\` of ${taker} needs the functions \`current\` and \`loginUrl\`: your login.`,
  );
}

function isIdentity(identity: Partial<Identity> | undefined): identity is Identity {
  return typeof identity?.current === 'function' && typeof identity.loginUrl === 'function';
}
