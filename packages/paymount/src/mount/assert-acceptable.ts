import type { IncomingMessage } from 'node:http';
import type { TlsCheck } from '@paymount/auth';
import { assertHeaderCount } from './assert-header-count.ts';
import { assertNoKeyInUrl } from './assert-no-key-in-url.ts';

/** The requirements of a router for every request. */
interface Demands {
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
}

/**
 * The checks that come before any call of the host or the database: the number of header lines,
 * TLS, a key in the URL.
 * @param findRoute as `assertNoKeyInUrl` needs it
 * @throws PaymountError `too_many_headers`, `tls_required`, `key_in_url`
 */
export function assertAcceptable(
  request: IncomingMessage,
  { requireTls, tls }: Demands,
  findRoute: () => unknown,
): void {
  assertHeaderCount(request);
  if (requireTls) tls.assert(request);
  assertNoKeyInUrl(request, findRoute);
}
