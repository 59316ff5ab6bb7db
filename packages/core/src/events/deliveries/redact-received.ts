import { isUtf8 } from 'node:buffer';
import { cutNumberStart } from '../../kernel/secrets/card-number-text.ts';
import { isSecretHeader } from '../../kernel/secrets/secret-headers.ts';
import { loggableText, REDACTED, redactSecrets } from '../../kernel/secrets/secret-text.ts';
import type { AttemptRecord } from './delivery.ts';

/** The part of a response that its server wrote. */
type Received = Pick<
  AttemptRecord,
  'environment' | 'responseHeaders' | 'responseBody' | 'responseTruncated'
>;

type Headers = NonNullable<AttemptRecord['responseHeaders']>;
type Redact = (text: string) => string;

/** The longest character in UTF-8 has four bytes, so a cut leaves at most three of one. */
const MAX_CUT_BYTES = 3;

/**
 * A response as it may be stored and shown. Servers repeat in it what they were sent or what they
 * have: credentials, signing secrets, passwords in URLs and cookies are replaced, and in live card
 * numbers too. Applied to its own result, it changes nothing.
 */
export function redactReceived(
  received: Received,
): Pick<AttemptRecord, 'responseHeaders' | 'responseBody'> {
  const { environment, responseHeaders: headers, responseBody: body } = received;
  const cards = environment === 'live';
  const redact = cards ? loggableText : redactSecrets;
  const isCut = cards && received.responseTruncated;
  return {
    responseHeaders: headers && redactHeaders(headers, redact),
    responseBody:
      body && redactBody(body, isCut ? (text) => withoutCutNumber(redact(text)) : redact),
  };
}

function redactHeaders(headers: Headers, redact: Redact): Headers {
  const shown: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (isSecretHeader(name)) shown[name] = REDACTED;
    else shown[name] = typeof value === 'string' ? redact(value) : value.map(redact);
  }
  return shown;
}

/** Bytes that are no UTF-8 are read one by one: credentials and digits are ASCII there too. */
function redactBody(body: Uint8Array, redact: Redact): Uint8Array {
  if (body.length === 0) return body;
  const length = utf8Length(body);
  const encoding = length === undefined ? 'latin1' : 'utf8';
  const whole = body.subarray(0, length);
  const text = Buffer.from(whole).toString(encoding);
  const shown = redact(text);
  if (shown === text) return body;
  return Buffer.concat([Buffer.from(shown, encoding), body.subarray(whole.length)]);
}

/** The length without the beginning of a character at the end; undefined if it is no UTF-8. */
function utf8Length(body: Uint8Array): number | undefined {
  for (let cut = 0; cut <= Math.min(MAX_CUT_BYTES, body.length); cut += 1) {
    if (isUtf8(body.subarray(0, body.length - cut))) return body.length - cut;
  }
  return undefined;
}

/** The rest of a number that a cut left is not recognized as a card number. */
function withoutCutNumber(text: string): string {
  const start = cutNumberStart(text);
  return start === undefined ? text : `${text.slice(0, start)}...`;
}
