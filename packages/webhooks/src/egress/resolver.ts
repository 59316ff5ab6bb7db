import { Resolver } from 'node:dns/promises';
import type { AddressRules } from './address-rules.ts';
import { EgressError } from './egress-error.ts';
import { isLocalhostName } from './registration-rules.ts';

/**
 * Finds all addresses of a name, both families.
 * @throws EgressError `dns` when there is none
 */
export type LookUp = (hostname: string) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 2_500;
const QUERY_TRIES = 2;
// The resolver doubles its wait on each try; this bounds them all.
const LOOKUP_DEADLINE_MS = 5_000;

/**
 * Asks the name servers of the machine for A and AAAA records. Not `dns.lookup`, which blocks one
 * of four threads while a slow name server keeps it waiting.
 */
export function createLookUp(): LookUp {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  return async (hostname) => {
    const answers = await withDeadline(
      Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]),
    );
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    if (addresses.length === 0) throw new EgressError('dns');
    return addresses;
  };
}

/**
 * Resolves a name to addresses that may be dialled.
 * @returns at least one address, IPv4 first
 * @throws EgressError `dns` when the name has none; `blocked_address` when **any** answer is
 *   refused: a name with one public and one internal address is an attack, not a misconfiguration
 */
export async function resolveVetted(
  hostname: string,
  lookUp: LookUp,
  rules: AddressRules,
): Promise<readonly string[]> {
  if (isLocalhostName(hostname)) {
    const lifted = ['127.0.0.1', '::1'].filter((address) => rules.judge(address) === 'lifted');
    if (lifted.length === 0) throw new EgressError('blocked_address');
    return lifted;
  }
  const addresses = await lookUp(hostname);
  if (addresses.some((address) => rules.judge(address) === 'refused')) {
    throw new EgressError('blocked_address');
  }
  return addresses;
}

async function withDeadline<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new EgressError('dns')), LOOKUP_DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
