import type { IncomingMessage } from 'node:http';
import type { TlsCheck } from '@paymount/auth';
import { refuseKeyInUrl } from './refuse-key-in-url.ts';
import { refuseManyHeaders } from './refuse-many-headers.ts';

/** What a router demands of every request. */
interface Demands {
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
}

/**
 * What is judged before anything is asked of the host or the database: the count of header lines,
 * TLS, a key in the address.
 * @param findRoute as `refuseKeyInUrl` needs it
 * @throws PaymountError `too_many_headers`, `tls_required`, `key_in_url`
 */
export function refuseOnArrival(
  request: IncomingMessage,
  { requireTls, tls }: Demands,
  findRoute: () => unknown,
): void {
  refuseManyHeaders(request);
  if (requireTls) tls.assert(request);
  refuseKeyInUrl(request, findRoute);
}
