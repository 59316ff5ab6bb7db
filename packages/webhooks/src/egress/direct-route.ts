import { isIP, type LookupFunction } from 'node:net';
import type { AddressRules } from './address-rules.ts';
import type { DialTarget, Route } from './connector.ts';
import { EgressError } from './egress-error.ts';
import { type LookUp, resolveVetted } from './resolver.ts';
import { openTcp } from './tcp.ts';

/**
 * The way to a receiver without a proxy:
 * 1. checks an IP literal, or resolves the name and checks all its addresses;
 * 2. connects to a checked address, never to the name, so that a second answer of the name server
 * cannot lead elsewhere;
 * 3. checks the address it is connected to, before any byte of TLS or HTTP is sent.
 */
export function createDirectRoute(rules: AddressRules, lookUp: LookUp): Route {
  const vet = async (hostname: string): Promise<readonly string[]> => {
    if (isIP(hostname) === 0) return resolveVetted(hostname, lookUp, rules);
    if (rules.classify(hostname) === 'refused') throw new EgressError('blocked_address');
    return [hostname];
  };
  return async (target, hold) => {
    const startedMs = performance.now();
    const addresses = await vet(target.hostname);
    const vettedMs = performance.now();
    const dnsMs = isIP(target.hostname) === 0 ? vettedMs - startedMs : undefined;
    // The lookup does not query DNS: it returns the checked address. Node skips it for IP literals.
    const lookup = answerWith(addresses);
    const socket = await openTcp({ host: target.hostname, port: portOf(target), lookup }, hold);
    const { remoteAddress = '' } = socket;
    if (rules.classify(remoteAddress) === 'refused') {
      socket.destroy();
      throw new EgressError(remoteAddress === '' ? 'connection' : 'blocked_address');
    }
    const connectMs = performance.now() - vettedMs;
    return { socket, remoteAddress, connectMs, ...(dnsMs === undefined ? {} : { dnsMs }) };
  };
}

/** The port of a target, which is empty for the default one. */
export function portOf({ port, protocol }: DialTarget): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, answers);
}
