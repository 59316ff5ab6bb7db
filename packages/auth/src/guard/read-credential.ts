import { MAX_CREDENTIAL_LENGTH, parseCredential } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';

/** The parts of a request that the guard reads; `IncomingMessage` fits. */
export interface CredentialSource {
  /**
   * Names and values in turn, as received. `req.headers` would keep the first of two headers and
   * hide the second; `req.headersDistinct` would sort all of them to find one.
   */
  readonly rawHeaders: readonly string[];
}

const AUTHORIZATION = 'authorization';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Base64 of the longest credential with a colon, and a margin; longer headers are not decoded. */
const MAX_BASIC_LENGTH = 4 * Math.ceil((MAX_CREDENTIAL_LENGTH + 64) / 3);

/**
 * Reads the credential of a request (specification: Authentication, Sending the key; RFC 7617 and
 * RFC 6750). Basic (key as user name, empty password) and Bearer give the same result.
 * @returns the text, whose format is not validated yet (`validateKey`)
 * @throws 400 `multiple_credentials`; 401 `api_key_missing`, `api_key_malformed`
 */
export function readCredential(request: CredentialSource): string {
  const header = readAuthorization(request)?.trim() ?? '';
  if (header === '') throw new PaymountError('api_key_missing');
  const text = parseAuthorization(header);
  if (text.length > MAX_CREDENTIAL_LENGTH) validateKey(text);
  return text;
}

/**
 * Validates prefix, length and check characters of a credential, without I/O.
 * @throws 401 `api_key_malformed`; `api_key_invalid` for a credential of OAuth
 */
export function validateKey(text: string): void {
  const parsed = parseCredential(text);
  if (parsed.kind === 'malformed') throw malformed(`The key ${parsed.reason}`);
  if (parsed.kind === 'oauth' && parsed.type !== 'access_token') {
    const fault = `${parsed.redacted} is ${NO_KEYS[parsed.type]}`;
    throw new PaymountError('api_key_invalid', `${fault} Send an access token.`);
  }
}

/** Credentials of platforms that do not work in the API. */
const NO_KEYS = {
  refresh_token: 'a refresh token, which only /oauth/token accepts.',
  code: 'an authorization code, which only /oauth/token accepts.',
  client_secret: 'a client secret, which only the paths below /oauth accept.',
} as const;

/**
 * The header `Authorization` of a request, as it was sent.
 * @throws PaymountError 400 `multiple_credentials` for two headers, alike or not
 */
export function readAuthorization({ rawHeaders }: CredentialSource): string | undefined {
  let found: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    if (found !== undefined) throw new PaymountError('multiple_credentials');
    found = rawHeaders[index + 1];
  }
  return found;
}

function parseAuthorization(header: string): string {
  const space = header.indexOf(' ');
  const scheme = (space === -1 ? header : header.slice(0, space)).toLowerCase();
  const value = space === -1 ? '' : header.slice(space).trim();
  if (scheme === 'bearer') return value;
  if (scheme === 'basic') return parseBasicUserName(value);
  throw malformed('Authorization must begin with Bearer or Basic.');
}

function parseBasicUserName(base64: string): string {
  if (base64.length > MAX_BASIC_LENGTH || !BASE64.test(base64)) {
    throw malformed('The value after Basic must be the base64 form of the key and a colon.');
  }
  const pair = Buffer.from(base64, 'base64').toString('latin1');
  const colon = pair.indexOf(':');
  if (colon === -1) {
    throw malformed('The value after Basic lacks the colon that ends the user name.');
  }
  if (colon < pair.length - 1) {
    throw malformed('The key is the user name of Basic; the password must be empty.');
  }
  return pair.slice(0, colon);
}

function malformed(message: string): PaymountError {
  return new PaymountError('api_key_malformed', message);
}
