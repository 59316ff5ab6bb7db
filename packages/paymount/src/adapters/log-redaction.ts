import { isSecretHeader, loggableText, REDACTED } from '@paymount/core/kernel';

/** Bodies may contain card numbers, and keys and signing secrets that are shown only once. */
const BODIES = ['req.body', 'req.rawBody', 'req.raw.body', 'req.raw.rawBody', 'res.body'];
/** Fields in which a key may appear by mistake. */
const TEXTS = ['req.url', 'req.query.*', 'req.params.*', 'req.headers.*', 'res.headers.*'];

/** The option `redact` of pino and pino-http. */
export interface LogRedaction {
  readonly paths: string[];
  readonly censor: (value: unknown, path: string[]) => unknown;
}

/**
 * The option `redact` of pino for the host's own request log: removes bodies and secret headers,
 * and removes keys, signing secrets, passwords in URLs and card numbers from URLs and other
 * headers.
 *
 * @example pinoHttp({ redact: logRedaction })
 */
export const logRedaction: LogRedaction = {
  paths: [...BODIES, ...TEXTS],
  censor(value, path) {
    const name = path.at(-1) ?? '';
    const isSecret = !isText(path) || isSecretHeader(name);
    if (isSecret) return REDACTED;
    if (typeof value === 'number') return value;
    if (typeof value !== 'string') return REDACTED;
    return loggableText(value);
  },
};

function isText(path: readonly string[]): boolean {
  return TEXTS.includes(path.join('.')) || TEXTS.includes([...path.slice(0, -1), '*'].join('.'));
}
