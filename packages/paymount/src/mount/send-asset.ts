import type { IncomingMessage, ServerResponse } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';
import type { AppFiles } from '@paymount/dashboard';
import type { RequestTarget } from './request-target.ts';

const ASSET = /^\/assets\/(?<name>[^/]+)$/;
/** A name of a file contains a hash of its contents. */
const FOR_EVER = 'public, max-age=31536000, immutable';

interface AssetRequest {
  readonly request: IncomingMessage;
  readonly target: RequestTarget;
}

/**
 * Responds to a request for a file of the browser application.
 * @returns false for a path that is not one of a file
 * @throws PaymountError `route_missing` for a file that does not exist
 */
export function sendAsset(
  files: AppFiles,
  { request: { headers, method }, target: { pathname } }: AssetRequest,
  response: ServerResponse,
): boolean {
  const { name } = ASSET.exec(pathname)?.groups ?? {};
  if (name === undefined) return false;
  const file = files.asset(name);
  if (file === undefined) throw new PaymountError('route_missing');
  const isKnown = headers['if-none-match'] === file.etag;
  const isZipped = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
  response.writeHead(isKnown ? 304 : 200, {
    'Cache-Control': FOR_EVER,
    'Content-Type': file.type,
    'X-Content-Type-Options': 'nosniff',
    ...(isZipped && { 'Content-Encoding': 'gzip' }),
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  });
  const body = isZipped ? file.zipped : file.bytes;
  response.end(isKnown || method === 'HEAD' ? undefined : body);
  return true;
}
