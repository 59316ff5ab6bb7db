import type { ValidateUrl } from '@paymount/core/events';
import type { Environment } from '@paymount/core/kernel';
import { createUrlValidator } from '@paymount/webhooks';
import type { EgressSettings } from '../options/options.ts';

/**
 * Validates the URLs of endpoints by the host's settings.
 * @throws RangeError if an entry of `allowedNetworks` is not a network, or one of `ownHosts` not a
 *   host
 */
export function urlValidator({
  allowedNetworks = [],
  ports = [],
  ownHosts = [],
}: EgressSettings = {}): ValidateUrl {
  const validatorFor = (environment: Environment) =>
    createUrlValidator({ environment, allowedNetworks, ports, ownHosts });
  const validators = { live: validatorFor('live'), test: validatorFor('test') };
  return (url, environment) => validators[environment](url);
}
