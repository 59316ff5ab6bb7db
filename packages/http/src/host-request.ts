// The only file that reads what Express and its body parsers add to a request.
import type { IncomingMessage } from 'node:http';
import { type ErrorCode, isError, PaymountError } from '@paymount/core/kernel';
import { isTree } from './body/tree.ts';

/** Where the body of a request is, because the host's parsers may have run before us. */
export type HostBody =
  | { readonly found: 'unread' }
  /** `express.raw()` and `express.text()`, or the text that a parser could not read. */
  | { readonly found: 'text'; readonly text: string | Buffer }
  | { readonly found: 'parsed'; readonly value: unknown }
  /** Another parser read it and left nothing. */
  | { readonly found: 'consumed' };

/** The target as it arrived, before a mount path was removed. */
export function originalTarget(request: IncomingMessage): string {
  const original = 'originalUrl' in request ? request.originalUrl : undefined;
  return typeof original === 'string' ? original : (request.url ?? '/');
}

/** Whether the host's app trusts proxies about clients (Express: `trust proxy`). */
export function appTrustsProxies(request: IncomingMessage): boolean {
  const app = 'app' in request ? request.app : undefined;
  if (typeof app !== 'function' || !('settings' in app) || !isTree(app.settings)) return false;
  return Boolean(app.settings['trust proxy']);
}

/**
 * Where the body is. body-parser 1 (Express 4) sets `body` to `{}` even when it read nothing, so a body counts only
 * once the stream was read.
 */
export function hostBody(request: IncomingMessage): HostBody {
  if (!request.readableDidRead && !request.readableEnded) return { found: 'unread' };
  const body = 'body' in request ? request.body : undefined;
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { found: 'text', text: body };
  if (body === undefined || isLeftover(request, body)) return { found: 'consumed' };
  return { found: 'parsed', value: body };
}

/**
 * The `{}` that body-parser 1 leaves if something else read the stream: it sets a mark if it read
 * the body itself. Parsers of Express 5 set no mark, and leave nothing; there `{}` is what a client
 * sent.
 */
function isLeftover(request: IncomingMessage, body: unknown): boolean {
  if (!isTree(body) || Object.keys(body).length > 0) return false;
  return isExpress4(request) && !('_body' in request && request._body === true);
}

/** Express 4 gives each request a `query` of its own, Express 5 has a getter on the prototype. */
function isExpress4(request: IncomingMessage): boolean {
  return Object.hasOwn(request, 'query');
}

const REFUSED_BY_HOST =
  "The body is larger than the limit of the app's own body parser; its operator can raise the parser's `limit`.";
const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['charset.unsupported', 'unsupported_content_type'],
  ['encoding.unsupported', 'unsupported_content_type'],
  ['parameters.too.many', 'parameter_invalid'],
  ['querystring.parse.rangeError', 'parameter_invalid'],
  ['request.size.invalid', 'invalid_json'],
  ['request.aborted', 'invalid_json'],
]);

/**
 * Converts an error of the host's body parser, so that a bad body gets the same answer whether the
 * host parses before us or not.
 * @returns undefined if the error is not of a body parser: the host handles it
 */
export function hostErrorBody(error: unknown): HostBody | PaymountError | undefined {
  if (!isError(error)) return undefined;
  // A compressed body that zlib could not read; this error alone has no type.
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')) {
    return new PaymountError('unsupported_content_type', 'Compressed bodies are not accepted.');
  }
  if (!('type' in error) || typeof error.type !== 'string') return undefined;
  if (error.type === 'entity.too.large') {
    return new PaymountError('body_too_large', REFUSED_BY_HOST);
  }
  if (error.type === 'entity.parse.failed' && 'body' in error && typeof error.body === 'string') {
    return { found: 'text', text: error.body };
  }
  const code = CODES.get(error.type);
  return code === undefined ? undefined : new PaymountError(code);
}
