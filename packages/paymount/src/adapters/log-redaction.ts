import { CENSORED, loggableText } from '@paymount/core/kernel';

/** Headers that are secrets, or prove one. */
const SECRET_HEADERS = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'service-signature',
  'set-cookie',
  'stripe-signature',
  'webhook-signature',
  'x-api-key',
]);

/** Bodies hold card numbers, and the keys and signing secrets that are shown once. */
const BODIES = ['req.body', 'req.rawBody', 'req.raw.body', 'req.raw.rawBody', 'res.body'];
/** Where an address or a header may hold a key that was put there by mistake. */
const TEXTS = ['req.url', 'req.query.*', 'req.params.*', 'req.headers.*', 'res.headers.*'];

/** What pino and pino-http take as `redact`. */
export interface LogRedaction {
  readonly paths: string[];
  readonly censor: (value: unknown, path: string[]) => unknown;
}

/**
 * For the host's own log of requests, as pino's option `redact`: takes out bodies and secret headers,
 * and cuts keys, signing secrets, passwords in URLs and card numbers out of addresses and other headers.
 *
 * @example pinoHttp({ redact: logRedaction })
 */
export const logRedaction: LogRedaction = {
  paths: [...BODIES, ...TEXTS],
  censor(value, path) {
    const name = path.at(-1) ?? '';
    const isSecret = !isText(path) || SECRET_HEADERS.has(name.toLowerCase());
    if (isSecret) return CENSORED;
    if (typeof value === 'number') return value;
    if (typeof value !== 'string') return CENSORED;
    return loggableText(value);
  },
};

function isText(path: readonly string[]): boolean {
  return TEXTS.includes(path.join('.')) || TEXTS.includes([...path.slice(0, -1), '*'].join('.'));
}
