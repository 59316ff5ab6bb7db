import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Keeps every socket on this machine: a connection or a name lookup beyond loopback is refused,
 * and fails the test that made it. Servers named by DATABASE_URL and REDIS_URL are allowed.
 * Load it in child processes too, with `--import`.
 */
const violations: string[] = [];

/** What was tried since the last call. */
export function takeViolations(): string[] {
  return violations.splice(0);
}

const allowedNames = new Set(['localhost', ...readHosts('DATABASE_URL', 'REDIS_URL')]);
const loopback = new net.BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function readHosts(...variables: string[]): string[] {
  return variables.flatMap((variable) => {
    const url = process.env[variable];
    return url ? [new URL(url).hostname.replace(/^\[|\]$/g, '')] : [];
  });
}

function isAllowed(host: string): boolean {
  const family = net.isIP(host);
  if (allowedNames.has(host)) return true;
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

function refusal(what: string): NodeJS.ErrnoException {
  violations.push(what);
  return Object.assign(new Error(`Tests stay on this machine: ${what}`), { code: 'EPERM' });
}

type LookupDone = (error: NodeJS.ErrnoException | null, ...answer: unknown[]) => void;

/** A caller's own lookup may give any name an address here, so the address is what is judged. */
function judged(lookup: (...args: unknown[]) => void): (...args: unknown[]) => void {
  return (host, options, done) => {
    lookup(
      host,
      options,
      (error: NodeJS.ErrnoException | null, answer: unknown, family: unknown) => {
        const addresses = Array.isArray(answer) ? answer.map(({ address }) => address) : [answer];
        const outside = error
          ? undefined
          : addresses.find((address) => !isAllowed(String(address)));
        if (outside === undefined) (done as LookupDone)(error, answer, family);
        else (done as LookupDone)(refusal(`connect ${String(host)} (${outside})`));
      },
    );
  };
}

const connect = net.Socket.prototype.connect;

net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]): net.Socket {
  // net.connect and tls.connect hand over their own arguments as one normalized array.
  const first = Array.isArray(args[0]) ? (args[0] as unknown[])[0] : args[0];
  const options =
    typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : undefined;
  if (!options && typeof first === 'string' && Number.isNaN(Number(first))) return pass(this, args);
  if (options?.['path']) return pass(this, args);
  const host = String(
    options
      ? (options['host'] ?? 'localhost')
      : typeof args[1] === 'string'
        ? args[1]
        : 'localhost',
  );
  if (options && typeof options['lookup'] === 'function' && net.isIP(host) === 0) {
    options['lookup'] = judged(options['lookup'] as (...args: unknown[]) => void);
    return pass(this, args);
  }
  if (isAllowed(host)) return pass(this, args);
  const error = refusal(`connect ${host}`);
  return this.destroy(error);
};

function pass(socket: net.Socket, args: unknown[]): net.Socket {
  return Reflect.apply(connect, socket, args) as net.Socket;
}

/** RFC 6761: `.invalid` never resolves, and asking for it is not a fault. */
function lookupError(host: string, call: string): NodeJS.ErrnoException | undefined {
  if (net.isIP(host) !== 0 || isAllowed(host)) return undefined;
  if (host === 'invalid' || host.endsWith('.invalid')) {
    return Object.assign(new Error(`${call} ENOTFOUND ${host}`), {
      code: 'ENOTFOUND',
      hostname: host,
    });
  }
  return refusal(`${call} ${host}`);
}

const calls = ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny'] as const;
for (const name of calls) {
  guard(dns, name);
  guard(dns.promises, name);
  guard(dns.Resolver.prototype, name);
  guard(dns.promises.Resolver.prototype, name);
}
syncBuiltinESMExports();

type Call = (this: unknown, ...args: unknown[]) => unknown;

function guard(owner: object, name: string): void {
  const original = Reflect.get(owner, name) as Call | undefined;
  if (!original) return;
  const promised = owner === dns.promises || owner === dns.promises.Resolver.prototype;
  const guarded: Call = function (host, ...rest) {
    const error = asksHere(this) ? undefined : lookupError(String(host), name);
    if (!error) return original.call(this, host, ...rest);
    if (promised) return Promise.reject(error);
    return setImmediate(rest.at(-1) as LookupDone, error);
  };
  // Its own properties make util.promisify(dns.lookup) answer { address, family }.
  Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(original));
  Object.defineProperty(owner, name, { value: guarded, configurable: true, writable: true });
}

/** A resolver pointed at a name server of the test's own. */
function asksHere(owner: unknown): boolean {
  if (!(owner instanceof dns.Resolver || owner instanceof dns.promises.Resolver)) return false;
  return owner.getServers().every((server) => isAllowed(server.replace(/:\d+$/, '')));
}
