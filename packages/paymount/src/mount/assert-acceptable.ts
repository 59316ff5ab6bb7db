import type { IncomingMessage } from 'node:http';
import type { TlsCheck } from '@paymount/auth';
import { assertHeaderCount } from './assert-header-count.ts';
import { assertNoKeyInUrl } from './assert-no-key-in-url.ts';

/** What a router demands of every request. */
interface Demands {
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
}

/**
 * What is judged before anything is asked of the host or the database: the count of header lines,
 * TLS, a key in the address.
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
