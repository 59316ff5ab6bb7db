import type { IncomingMessage } from 'node:http';
import { containsCredential } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { originalTarget } from '@paymount/http';

/**
 * Refuses a request with a key in its URL, because the key is probably in an access log by now.
 * This comes before all other checks, and is the only place that checks it. The route has not been
 * found yet, and may not exist.
 * @param findRoute only for the record of the leak; it throws if there is no route
 * @throws PaymountError 400 `key_in_url`
 */
export function assertNoKeyInUrl(request: IncomingMessage, findRoute: () => unknown): void {
  if (!containsCredential(originalTarget(request))) return;
  try {
    findRoute();
  } catch {
    // There is no route, which does not matter here.
  }
  throw new PaymountError(
    'key_in_url',
    'The URL contains a credential. Send it in the Authorization header or the body, and replace it, because URLs are often logged.',
  );
}
