import type { IncomingMessage } from 'node:http';
import { containsCredential } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { originalTarget } from '@paymount/http';

/**
 * Whatever else may be wrong with a request: a key in its address is in somebody's access log by now.
 * The one place that looks: routers come here before they find a route, so there may be none.
 * @param findRoute for the record alone; it throws when there is none
 * @throws PaymountError 400 `key_in_url`
 */
export function assertNoKeyInUrl(request: IncomingMessage, findRoute: () => unknown): void {
  if (!containsCredential(originalTarget(request))) return;
  try {
    findRoute();
  } catch {
    // There is none, which changes nothing.
  }
  throw new PaymountError('key_in_url');
}
