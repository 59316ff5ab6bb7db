import type { Socket } from 'node:net';
import type { DialTarget, Route } from './connector.ts';
import { portOf } from './direct-route.ts';
import { EgressError } from './egress-error.ts';
import { openTcp } from './tcp.ts';

/** A proxy that opens connections for this service. */
interface Proxy {
  readonly host: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

const MAX_HEAD_BYTES = 16_384;
const CONNECT_MS = 5_000;
const HEAD_END = '\r\n\r\n';
const CHECK_MS = 5_000;
/** A name that nobody can register (RFC 6761), so that the check reaches no receiver. */
const NO_RECEIVER: DialTarget = { hostname: 'paymount.invalid', port: '443', protocol: 'https:' };

/** How a proxy answered when it was asked for a connection. */
export type ProxyVerdict = 'ready' | 'unreachable' | 'credentials_refused' | 'no_http';

/**
 * The way through an HTTP proxy, by `CONNECT` with the name of the receiver: the proxy resolves the
 * name and decides which addresses are allowed. TLS starts behind it, so it reads nothing of a
 * delivery over HTTPS.
 * @param url `http://user:password@host:port`
 * @returns a route that throws `connection` with the detail `proxy_unavailable` if the proxy cannot
 *   be reached or refuses our credentials, and with `proxy_refused` if it does not open the
 *   connection
 * @throws RangeError if this is not the URL of a proxy; the message does not repeat it
 */
export function createProxyRoute(url: string): Route {
  const proxy = readProxy(url);
  return async (target, hold) => {
    const startedMs = performance.now();
    const socket = await reach(proxy, hold);
    const head = await ask(socket, connectRequest(target, proxy));
    const refusal = readRefusal(head);
    if (refusal !== undefined) {
      socket.destroy();
      throw refusal;
    }
    return { socket, connectMs: performance.now() - startedMs };
  };
}

/**
 * Asks a proxy for a connection to a name that does not exist. A proxy that accepts our credentials
 * answers with any other status than 407.
 * @param url as of `createProxyRoute`
 * @returns within 10 s; never throws for what the proxy does
 */
export async function checkProxy(url: string): Promise<ProxyVerdict> {
  const proxy = readProxy(url);
  const socket = await reach(proxy, () => undefined).catch(() => undefined);
  if (socket === undefined) return 'unreachable';
  const timer = setTimeout(() => socket.destroy(), CHECK_MS);
  try {
    const head = await ask(socket, connectRequest(NO_RECEIVER, proxy));
    if (asksForCredentials(head)) return 'credentials_refused';
    return statusOf(head) === undefined ? 'no_http' : 'ready';
  } catch {
    return 'no_http';
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Whether `createProxyRoute` accepts a URL. */
export function isProxyUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(url);
  return protocol === 'http:' && hostname !== '' && `${pathname}${search}${hash}` === '/';
}

function readProxy(url: string): Proxy {
  if (!isProxyUrl(url)) {
    throw new RangeError('The proxy must be written as http://user:password@host:port.');
  }
  const { hostname, port, username, password } = new URL(url);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 80 : Number(port),
    authorization:
      credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/** The proxy belongs to the host, so its address is not checked. */
async function reach({ host, port }: Proxy, hold: (socket: Socket) => void): Promise<Socket> {
  let opening: Socket | undefined;
  const timer = setTimeout(() => opening?.destroy(), CONNECT_MS);
  try {
    return await openTcp({ host, port }, (socket) => {
      opening = socket;
      hold(socket);
    });
  } catch {
    throw new EgressError('connection', 'proxy_unavailable');
  } finally {
    clearTimeout(timer);
  }
}

function connectRequest(target: DialTarget, { authorization }: Proxy): string {
  const { hostname } = target;
  const authority = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${portOf(target)}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  return `${lines.join('\r\n')}${HEAD_END}`;
}

/** Reads the head of the proxy's response; whatever follows it belongs to no request of ours. */
function ask(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const refuse = (): void => {
      socket.destroy();
      reject(new EgressError('connection', 'proxy_refused'));
    };
    const read = (): void => {
      for (let chunk: unknown = socket.read(); Buffer.isBuffer(chunk); chunk = socket.read()) {
        received += chunk.toString('latin1');
      }
      const end = received.indexOf(HEAD_END);
      if (end === -1 && received.length <= MAX_HEAD_BYTES) return;
      socket.off('readable', read);
      socket.off('end', refuse);
      socket.off('close', refuse);
      if (end === received.length - HEAD_END.length) resolve(received);
      else refuse();
    };
    socket.on('readable', read);
    socket.on('end', refuse);
    socket.on('close', refuse);
    socket.write(request);
  });
}

/** @returns undefined for any 2xx */
function readRefusal(head: string): EgressError | undefined {
  if (statusOf(head)?.startsWith('2')) return undefined;
  const detail = asksForCredentials(head) ? 'proxy_unavailable' : 'proxy_refused';
  return new EgressError('connection', detail);
}

function statusOf(head: string): string | undefined {
  return /^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(head)?.[1];
}

/** Proxies that filter also answer 407, without asking for other credentials. */
function asksForCredentials(head: string): boolean {
  return statusOf(head) === '407' && /\r\nproxy-authenticate:/i.test(head);
}
