import type { IncomingMessage } from 'node:http';
import { containsCredential } from '@paymount/core/access';
import { readAuthorization } from '../guard/read-credential.ts';
import { unauthenticated } from './admin.ts';

/**
 * Keys have no dots; a part of a token that looks like a key is a coincidence, as in one of
 * thousands.
 */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The token of a request (RFC 6750, section 2.1).
 * @returns undefined if the request has none
 * @throws PaymountError 400 `multiple_credentials`
 */
export function bearerToken(request: IncomingMessage): string | undefined {
  const header = readAuthorization(request);
  return header === undefined ? undefined : /^bearer +(\S+)$/i.exec(header.trim())?.[1];
}

/**
 * Refuses keys of accounts, whatever else the request contains.
 * @throws PaymountError 400 `multiple_credentials`; 401 `admin_unauthenticated`
 */
export function rejectApiKeys(request: IncomingMessage): void {
  const header = readAuthorization(request);
  if (header === undefined) return;
  const texts = [...header.split(/\s+/).filter((text) => !JWT.test(text)), basicPair(header)];
  if (texts.some(containsCredential)) {
    throw unauthenticated('A key of an account cannot be used for the management API.');
  }
}

function basicPair(header: string): string {
  const base64 = /^basic +(\S+)$/i.exec(header.trim())?.[1];
  return base64 === undefined ? '' : Buffer.from(base64, 'base64').toString('latin1');
}
