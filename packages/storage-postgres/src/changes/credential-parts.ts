import type { CredentialSnapshot, Owner } from '@paymount/core/kernel';
import { type ChangeCredential, credentialsPart } from '../keys/credentials-part.ts';
import { type ChangeToken, tokenCredentialsPart } from '../oauth/token-credentials-part.ts';
import type { Part } from './part.ts';
import { rowSource, type ToRows } from './row-source.ts';

/** The credential of a change, as it was accepted, of any kind. */
interface Accepted extends Owner {
  readonly credential: CredentialSnapshot;
  /** Business time of the change. */
  readonly at: Date;
}

/** The guard for the credential of one change. */
export function credentialPart(accepted: Accepted): Part {
  const [part] = credentialParts([accepted], rowSource);
  if (part === undefined) throw new TypeError('A credential is a key or a token.');
  return part;
}

/** The guards for the credentials of several changes; none if there are no credentials. */
export function credentialParts(accepted: readonly Accepted[], toRows: ToRows): readonly Part[] {
  const keys = accepted.filter(isKey);
  const tokens = accepted.filter(isToken);
  return [
    ...(keys.length > 0 ? [credentialsPart(keys, toRows)] : []),
    ...(tokens.length > 0 ? [tokenCredentialsPart(tokens, toRows)] : []),
  ];
}

function isKey(accepted: Accepted): accepted is Accepted & ChangeCredential {
  return 'keyId' in accepted.credential;
}

function isToken(accepted: Accepted): accepted is Accepted & ChangeToken {
  return 'tokenId' in accepted.credential;
}
