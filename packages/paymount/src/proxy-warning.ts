import type { IncomingMessage } from 'node:http';
import type { Logger } from '@paymount/core';
import { appTrustsProxies } from '@paymount/http';

/**
 * Says once when the host's app believes proxies and Paymount was not told of any: address lists
 * and limits would then see the proxy, and none of its clients.
 * @param trustsProxies whether the option `trustedProxies` names any
 * @returns to be told each request; only the first of an app is looked at
 */
export function proxyWarning(
  trustsProxies: boolean,
  logger: Logger,
): (request: IncomingMessage) => void {
  let isSettled = trustsProxies;
  return (request) => {
    if (isSettled) return;
    isSettled = true;
    if (!appTrustsProxies(request)) return;
    logger.warn(
      { cure: 'docs/how-to/restrict-by-ip.md' },
      "The app trusts proxies ('trust proxy'), but `trustedProxies` names none; address lists and " +
        'limits take the proxy for the client.',
    );
  };
}
