import { Resolver } from 'node:dns/promises';
import { withTimeout } from '@paymount/core/kernel';
import type { AddressRules } from './address-rules.ts';
import { EgressError } from './egress-error.ts';
import { isLocalhostName } from './registration-rules.ts';

/** Finds all addresses of a name, both families; may throw if there is none. */
export type LookUp = (hostname: string) => Promise<readonly string[]>;

const QUERY_TRIES = 2;

export interface LookUpOptions {
  /** `address` or `address:port`. @defaultValue those of the machine */
  readonly servers?: readonly string[];
  /** The limit of each of two tries. @defaultValue 2,500 */
  readonly timeoutMs?: number;
}

/**
 * Queries A and AAAA records. Not `dns.lookup`, which blocks one of four threads while it waits for
 * a slow name server.
 */
export function createLookUp({ servers, timeoutMs = 2_500 }: LookUpOptions = {}): LookUp {
  const resolver = new Resolver({ timeout: timeoutMs, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const queries = Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    // The resolver doubles its wait on each try; this limits the total.
    const answers = await withTimeout(queries, QUERY_TRIES * timeoutMs, () => {
      throw new EgressError('dns');
    });
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    if (addresses.length === 0) throw new EgressError('dns');
    return addresses;
  };
}

/**
 * Resolves a name to addresses that are allowed.
 * @returns at least one address, IPv4 first
 * @throws EgressError `dns` if the name has none; `blocked_address` if **any** answer is refused: a
 *   name with one public and one internal address is an attack, not a misconfiguration. Addresses
 *   that a resolver made from another answer (DNS64) are left out instead
 */
export async function resolveVetted(
  hostname: string,
  lookUp: LookUp,
  rules: AddressRules,
): Promise<readonly string[]> {
  if (isLocalhostName(hostname)) {
    const lifted = ['127.0.0.1', '::1'].filter((address) => rules.classify(address) === 'lifted');
    if (lifted.length === 0) throw new EgressError('blocked_address');
    return lifted;
  }
  const addresses = await lookUp(hostname).catch(() => []);
  if (addresses.length === 0) throw new EgressError('dns');
  const dialled = addresses.filter((address) => rules.classify(address) !== 'refused');
  const isKnown = (address: string): boolean =>
    dialled.includes(address) || rules.isTranslationOf(address, dialled);
  if (!addresses.every(isKnown)) throw new EgressError('blocked_address');
  return dialled;
}
