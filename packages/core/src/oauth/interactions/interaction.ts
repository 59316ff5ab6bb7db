import type { Environment } from '../../kernel/basics/environment.ts';
import type { Id } from '../../kernel/basics/id.ts';
import type { PlatformId } from '../platforms/platform.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

export type InteractionId = Id<'int'>;

/** From the request of a platform to the answer of a user of the host, in one browser. */
export interface Interaction extends AuthorizationRequest {
  readonly id: InteractionId;
  readonly environment: Environment;
  readonly platformId: PlatformId;
  /** Where the response goes. */
  readonly redirectUri: string;
  /** Whether the request named it; then the exchange of the code must name it too. */
  readonly namesRedirectUri: boolean;
  /** SHA-256 of the secret in the browser's cookie. */
  readonly browserHash: Uint8Array;
  /** The user who opened it first; nobody else may answer. */
  readonly userId?: string;
  /** SHA-256 of that user's session. */
  readonly sessionHash?: Uint8Array;
  /** How often the browser was sent to the login. */
  readonly logins: number;
  readonly created: Date;
  readonly expiresAt: Date;
  /** When the user approved or refused. */
  readonly decidedAt?: Date;
}

/** A user of the host in one session. */
export interface InteractionUser {
  readonly userId: string;
  /** SHA-256 of the host's name of the session. */
  readonly sessionHash: Uint8Array;
}

/** Whether two hashes are equal. They are of secrets, so that the time it takes tells nothing. */
export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}
