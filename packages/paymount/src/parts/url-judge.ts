import type { JudgeUrl } from '@paymount/core/events';
import type { Environment } from '@paymount/core/kernel';
import { createUrlJudge } from '@paymount/webhooks';
import type { EgressSettings } from '../options/options.ts';

/**
 * Judges the URLs of endpoints by the host's settings.
 * @throws RangeError when an entry of `allowedNetworks` is not a network
 */
export function urlJudge({ allowedNetworks = [], ports = [] }: EgressSettings = {}): JudgeUrl {
  const judgeIn = (environment: Environment) =>
    createUrlJudge({ environment, allowedNetworks, ports, ownHosts: [] });
  const judges = { live: judgeIn('live'), test: judgeIn('test') };
  return (url, environment) => judges[environment](url);
}
