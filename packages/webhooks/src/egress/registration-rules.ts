import { isIPv4 } from 'node:net';
import type { Environment } from '@paymount/core/kernel';
import { type AddressRules, createAddressRules } from './address-rules.ts';
import { readOwnHosts } from './own-hosts.ts';

/** The reason why a URL was refused. */
export type UrlRule =
  | 'length'
  | 'characters'
  | 'malformed'
  | 'https'
  | 'credentials'
  | 'fragment'
  | 'address'
  | 'address_literal'
  | 'host_name'
  | 'own_host'
  | 'port';

/** Ports besides 443 and 8443 (and 80 in test); `any` allows all, but only in `allowedNetworks`. */
export type ExtraPorts = readonly number[] | 'any';

/** Exceptions from the built-in rules. */
export interface UrlRuleOptions {
  readonly environment: Environment;
  /** Networks that the host allowed, `address/prefix`. */
  readonly allowedNetworks: readonly string[];
  readonly ports: ExtraPorts;
  /** Names and addresses of this service itself. */
  readonly ownHosts: readonly string[];
}

/** `href` is the form to store and to use. */
export type UrlVerdict =
  | { readonly ok: true; readonly href: string }
  | { readonly ok: false; readonly rule: UrlRule; readonly message: string };

const MAX_URL_LENGTH = 2_048;

// Names that do not exist in public DNS (RFC 6761, 6762, 7686, 8375, 9476).
const PRIVATE_SUFFIXES = [
  '.localhost',
  '.local',
  '.internal',
  '.lan',
  '.home.arpa',
  '.onion',
  '.test',
  '.invalid',
];

// The parser drops tabs and line ends and replaces backslashes, so the result differs from the
// input. They are refused before it runs.
const FORBIDDEN_CHARACTERS = /[\p{Cc}\\]/u;

/**
 * Makes the validator of endpoint URLs at their registration (specification: Events, Registration).
 * It is pure: it looks up nothing and calls nothing. The addresses of a name are checked at each
 * connect.
 * @returns the validator: for a URL as the caller wrote it, it returns the normalized form or the
 *   broken rule; the message names the rule and what to do, but never an address, so that it
 *   reveals nothing about the network
 * @throws RangeError if an entry of `allowedNetworks` is not a network, or one of `ownHosts` not a
 *   host
 */
export function createUrlValidator(options: UrlRuleOptions): (url: string) => UrlVerdict {
  const addresses = createAddressRules(options);
  const { hostnames: ownHosts } = readOwnHosts(options.ownHosts);
  return (url) => {
    const parsed = parse(url);
    if ('ok' in parsed) return parsed;
    return (
      refuseScheme(url, parsed, options.environment) ??
      refuseHost(parsed, { options, addresses, ownHosts }) ?? { ok: true, href: parsed.href }
    );
  };
}

/** True for names that always mean this machine (RFC 6761, section 6.3). */
export function isLocalhostName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** The address in a URL's host, without brackets; undefined when the host is a name. */
function addressInHost(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return isIPv4(hostname) ? hostname : undefined;
}

function parse(url: string): URL | UrlVerdict {
  if (url.length > MAX_URL_LENGTH) {
    return refuse('length', `The URL has ${url.length} characters; at most ${MAX_URL_LENGTH} fit.`);
  }
  if (FORBIDDEN_CHARACTERS.test(url)) {
    return refuse(
      'characters',
      'The URL contains a control character or a backslash; remove it or percent-encode it.',
    );
  }
  try {
    const parsed = new URL(url);
    if (parsed.href.length <= MAX_URL_LENGTH) return parsed;
    return refuse('length', `The encoded URL is longer than ${MAX_URL_LENGTH} characters.`);
  } catch {
    return refuse('malformed', 'This is not a URL; write it as https://hooks.example.com/path.');
  }
}

function refuseScheme(url: string, parsed: URL, environment: Environment): UrlVerdict | undefined {
  const { protocol } = parsed;
  if (protocol !== 'https:' && !(protocol === 'http:' && environment === 'test')) {
    const also = environment === 'test' ? ' (or http:// in test mode)' : '';
    return refuse('https', `The URL must start with https://${also}.`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return refuse(
      'credentials',
      'The URL contains a user name or password; deliveries are proved by their signature instead.',
    );
  }
  if (url.includes('#')) {
    return refuse('fragment', 'The URL contains a fragment (#), which is never sent; remove it.');
  }
  return undefined;
}

interface HostRules {
  readonly options: UrlRuleOptions;
  readonly addresses: AddressRules;
  readonly ownHosts: ReadonlySet<string>;
}

function refuseHost(parsed: URL, rules: HostRules): UrlVerdict | undefined {
  const { hostname } = parsed;
  const { options, addresses } = rules;
  if (rules.ownHosts.has(hostname)) {
    return refuse('own_host', 'The host is this service itself; use the host of your receiver.');
  }
  const address = addressInHost(hostname);
  if (address !== undefined) {
    const verdict = addresses.classify(address);
    if (verdict === 'lifted') return refuseInnerPort(parsed, options);
    if (verdict === 'refused') {
      return refuse('address', 'The host is not a public address; use a public host name.');
    }
    if (options.environment === 'live') {
      return refuse('address_literal', 'The host is an IP address; live mode needs a host name.');
    }
  } else {
    if (isLocalhostName(hostname) && localhostIsLifted(addresses)) {
      return refuseInnerPort(parsed, options);
    }
    if (!isPublicName(hostname)) {
      return refuse(
        'host_name',
        'The host is not a public name; use one such as hooks.example.com.',
      );
    }
  }
  return refusePort(parsed, options);
}

function localhostIsLifted(addresses: AddressRules): boolean {
  return addresses.classify('127.0.0.1') === 'lifted' || addresses.classify('::1') === 'lifted';
}

function isPublicName(hostname: string): boolean {
  if (hostname.endsWith('.') || !hostname.includes('.')) return false;
  return !PRIVATE_SUFFIXES.some((suffix) => hostname.endsWith(suffix));
}

/** In a network that the host allowed. */
function refuseInnerPort(parsed: URL, options: UrlRuleOptions): UrlVerdict | undefined {
  return options.ports === 'any' ? undefined : refusePort(parsed, options);
}

function refusePort(parsed: URL, { environment, ports }: UrlRuleOptions): UrlVerdict | undefined {
  const usual = parsed.protocol === 'https:' ? 443 : 80;
  const port = parsed.port === '' ? usual : Number(parsed.port);
  const extra = ports === 'any' ? [] : ports;
  const allowed = [443, 8443, ...(environment === 'test' ? [80] : []), ...extra];
  if (allowed.includes(port)) return undefined;
  return refuse('port', `Port ${port} is not allowed; use one of ${allowed.join(', ')}.`);
}

function refuse(rule: UrlRule, message: string): UrlVerdict {
  return { ok: false, rule, message };
}
