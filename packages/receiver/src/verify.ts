import { checkSignature, DEFAULT_TOLERANCE_SECONDS } from './check-signature.ts';
import { isSigningSecret } from './secret.ts';
import { SignatureError } from './signature-error.ts';
import { parseSignatureHeader } from './signature-header.ts';
import { isInStripeForm, isWebhookEvent, type WebhookEvent } from './webhook-event.ts';

/** The endpoint's signing secret, or all that may be in use during a rotation. */
export type SecretOptions =
  | { readonly secret: string; readonly secrets?: never }
  | { readonly secret?: never; readonly secrets: readonly string[] };

/** Header names in any case, as in `request.headers` of node:http or a `Headers` object. */
export type DeliveryHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null; keys(): Iterable<string> };

/** The input of {@link verify}. */
export type DeliveryToVerify = SecretOptions & {
  /** The raw body. Typed loosely because parsers replace it: anything but bytes is refused. */
  readonly body: unknown;
  readonly headers: DeliveryHeaders;
  /** @defaultValue 300 */
  readonly toleranceSeconds?: number;
  /** @defaultValue the current time */
  readonly now?: Date;
};

const HEADER = 'Service-Signature';
const FORM = 't=<unix seconds>,v1=<64 lowercase hex digits>';
/** Quoted parts of a request are cut, so that a message stays one readable line. */
const MAX_QUOTED = 60;
const MAX_NAMES = 30;

/**
 * Verifies one delivery and returns its event (specification: Events, Signature). Timestamps beyond
 * the tolerance are refused, past or future, in whole unix seconds.
 * @throws SignatureError whose `code` is one of {@link SignatureErrorCode} and whose message says
 *   what is wrong and what to do
 */
export function verify(delivery: DeliveryToVerify): WebhookEvent {
  const {
    headers,
    body,
    toleranceSeconds = DEFAULT_TOLERANCE_SECONDS,
    now = new Date(),
  } = delivery;
  const secrets = checkedSecrets(delivery);
  const header = readHeader(headers);
  const bytes = checkedBody(body);
  const nowSeconds = Math.floor(now.getTime() / 1000);
  const facts = { body: bytes, header, secrets, nowSeconds, toleranceSeconds };
  const verdict = checkSignature(facts);
  switch (verdict) {
    case 'valid':
      return parseEvent(bytes);
    case 'malformed':
      throw malformedError(header);
    case 'stale':
      throw staleError(header, nowSeconds, toleranceSeconds);
    case 'mismatch':
      throw mismatchError(bytes, secrets);
  }
}

/**
 * The secrets of the options, each checked, so that a receiver can refuse a wrong one at start-up.
 * @throws SignatureError `secret_malformed`; the message never shows the value
 */
export function checkedSecrets(options: SecretOptions): readonly string[] {
  const secrets = options.secrets ?? [options.secret];
  if (secrets.length === 0) {
    throw new SignatureError(
      'secret_malformed',
      'No signing secret was given. Pass the whsec_ secret shown when the endpoint was created.',
    );
  }
  for (const secret of secrets) {
    if (!isSigningSecret(secret)) throw new SignatureError('secret_malformed', wrongSecret(secret));
  }
  return secrets;
}

function wrongSecret(secret: unknown): string {
  const cure = 'expected whsec_ and 44 characters, the secret shown when the endpoint was created.';
  if (typeof secret !== 'string' || secret === '') {
    return `The signing secret is empty or not a string (is its environment variable set?); ${cure}`;
  }
  if (/^(?:sk|pk|rk)_(?:live|test)_/.test(secret)) {
    return `This looks like an API key; ${cure}`;
  }
  if (isSigningSecret(secret.trim())) {
    return `The signing secret has white space around it; ${cure}`;
  }
  return `The signing secret has ${secret.length} characters and the wrong form; ${cure}`;
}

function readHeader(headers: DeliveryHeaders): string {
  if (isHeadersObject(headers)) {
    const value = headers.get(HEADER);
    if (value !== null) return value;
    throw missingError([...headers.keys()]);
  }
  const name = Object.keys(headers).find((key) => key.toLowerCase() === HEADER.toLowerCase());
  const value = name === undefined ? undefined : headers[name];
  if (typeof value === 'string') return value;
  // Two headers with this name are joined as in node:http, and refused as malformed.
  if (value !== undefined && value.length > 0) return value.join(', ');
  throw missingError(Object.keys(headers));
}

function isHeadersObject(
  headers: DeliveryHeaders,
): headers is Extract<DeliveryHeaders, { get(name: string): string | null }> {
  return typeof headers['get'] === 'function';
}

function checkedBody(body: unknown): Uint8Array | string {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new SignatureError(
    'body_not_raw',
    `The body is ${body === undefined ? 'missing' : `a parsed ${typeof body}`}, but only the raw ` +
      'bytes can be verified: something parsed the JSON before verification. ' +
      'Mount the receiver before express.json(), or give its route express.raw({ type: "*/*" }).',
  );
}

function parseEvent(body: Uint8Array | string): WebhookEvent {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isWebhookEvent(value)) return value;
  if (isInStripeForm(value)) {
    throw new SignatureError(
      'body_not_event',
      "The signature is valid, but the endpoint is registered with a version of Stripe's API, so " +
        "that its events are for Stripe's SDKs: verify them with one, or register an endpoint " +
        'without `api_version`.',
    );
  }
  throw new SignatureError(
    'body_not_event',
    'The signature is valid, but the body is not an event. Somebody who has the signing secret ' +
      'sent something else to this address.',
  );
}

function missingError(names: readonly string[]): SignatureError {
  const present = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_QUOTED));
  return new SignatureError(
    'header_missing',
    `Expected the header ${HEADER}; the request has ${present.join(', ') || 'no headers'}. ` +
      'Is this request a delivery, and does a proxy in front remove headers?',
  );
}

function malformedError(header: string): SignatureError {
  const parsed = parseSignatureHeader(header);
  const part = parsed.form === 'malformed' ? parsed.part : header;
  const quoted = JSON.stringify(
    part.length > MAX_QUOTED ? `${part.slice(0, MAX_QUOTED)}...` : part,
  );
  return new SignatureError(
    'header_malformed',
    `Expected ${HEADER} as ${FORM}, without spaces; the offending part is ${quoted}.`,
  );
}

function staleError(header: string, nowSeconds: number, toleranceSeconds: number): SignatureError {
  const parsed = parseSignatureHeader(header);
  const age = nowSeconds - (parsed.form === 'valid' ? Number(parsed.timestamp) : Number.NaN);
  return new SignatureError(
    'timestamp_outside_tolerance',
    `The signature was made ${Math.abs(age)} s in the ${age < 0 ? 'future' : 'past'}; ` +
      `at most ${toleranceSeconds} s are allowed. Check this machine's clock; an old request may ` +
      'also be a replay by a third party.',
  );
}

function mismatchError(body: Uint8Array | string, secrets: readonly string[]): SignatureError {
  const tried = secrets.map((secret) => `whsec_...${secret.slice(-4)}`).join(', ');
  return new SignatureError(
    'signature_mismatch',
    `No signature matches: ${Buffer.byteLength(body)} bytes hashed with ${tried}. ` +
      'Either this is the secret of another endpoint, or the body changed on its way ' +
      '(parsed and written again, another encoding).',
  );
}
