import type { Environment, JudgeUrl } from '@paymount/core';
import { createUrlJudge } from '@paymount/webhooks';
import type { EgressSettings } from './options.ts';

/**
 * Judges the URLs of endpoints by the host's settings.
 * @throws RangeError when an entry of `allowedNetworks` is not a network;
 *   TypeError when it, or `ports`, is neither a list nor `any`, which JavaScript would not notice
 */
export function urlJudge({ allowedNetworks = [], ports = [] }: EgressSettings = {}): JudgeUrl {
  if (!isListOf('string', allowedNetworks)) {
    throw new TypeError("The option `egress.allowedNetworks` is a list, such as ['10.0.0.0/8'].");
  }
  if (ports !== 'any' && !isListOf('number', ports)) {
    throw new TypeError(
      "The option `egress.ports` is a list of numbers, such as [8444], or 'any' for all inside " +
        '`allowedNetworks`.',
    );
  }
  const judgeIn = (environment: Environment) =>
    createUrlJudge({ environment, allowedNetworks, ports, ownHosts: [] });
  const judges = { live: judgeIn('live'), test: judgeIn('test') };
  return (url, environment) => judges[environment](url);
}

function isListOf(type: 'string' | 'number', value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === type);
}
