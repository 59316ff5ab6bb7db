import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { EgressError } from './egress-error.ts';
import { secure } from './handshake.ts';
import type { HoldSocket } from './tcp.ts';
import type { TlsSession, TlsSessions } from './tls-sessions.ts';

/** The destination in undici's form: no brackets around IPv6, an empty port for the default one. */
export interface DialTarget {
  readonly hostname: string;
  readonly port: string;
  readonly protocol: string;
}

/** A connection on which TLS or HTTP can start. */
export interface RoutedConnection {
  readonly socket: Socket;
  /** Absent behind a proxy. */
  readonly remoteAddress?: string;
  /** Absent for an IP literal and behind a proxy. */
  readonly dnsMs?: number;
  readonly connectMs: number;
}

/**
 * A way to connect to a target.
 * @throws EgressError
 */
export type Route = (target: DialTarget, hold: HoldSocket) => Promise<RoutedConnection>;

/** An open, checked connection, with the duration of each step in milliseconds. */
export interface Connection extends RoutedConnection {
  /** Absent without TLS. */
  readonly tlsMs?: number;
}

export interface Dialing {
  /** Ends the connect with this error, at any step. */
  cancel(error: EgressError): void;
}

export type Dial = (
  target: DialTarget,
  done: (error: EgressError | null, connection?: Connection) => void,
) => Dialing;

/** The options of a connector. */
export interface DialOptions {
  readonly route: Route;
  readonly sessions: TlsSessions;
  /** Of `createTlsContext`. */
  readonly context: SecureContext;
}

/**
 * The only way to connect to an address that a user gave: it opens a connection by the route, which
 * decides about addresses, and completes TLS with the receiver.
 */
export function createDial(options: DialOptions): Dial {
  return (target, done) => {
    const dialing = new OneDial(target, options, done);
    void dialing.run();
    return dialing;
  };
}

class OneDial implements Dialing {
  readonly #target: DialTarget;
  readonly #options: DialOptions;
  #done: ((error: EgressError | null, connection?: Connection) => void) | undefined;
  #socket: Socket | undefined;

  constructor(
    target: DialTarget,
    options: DialOptions,
    done: (error: EgressError | null, connection?: Connection) => void,
  ) {
    this.#target = target;
    this.#options = options;
    this.#done = done;
  }

  async run(): Promise<void> {
    try {
      const connection = await this.#connect();
      const done = this.#done;
      this.#done = undefined;
      done?.(null, connection);
    } catch (error) {
      this.cancel(error instanceof EgressError ? error : new EgressError('connection'));
    }
  }

  cancel(error: EgressError): void {
    const done = this.#done;
    this.#done = undefined;
    this.#socket?.destroy();
    done?.(error);
  }

  async #connect(): Promise<Connection> {
    if (this.#target.protocol !== 'https:') return this.#open();
    const session = this.#options.sessions.find(targetOf(this.#target));
    const opened = await this.#open();
    try {
      return await this.#secure(opened, session);
    } catch (error) {
      const isLive = this.#done !== undefined;
      if (session === undefined || !isLive || !mayLackResumption(error)) throw error;
      this.#options.sessions.avoid(targetOf(this.#target));
      return this.#secure(await this.#open(), undefined);
    }
  }

  #open(): Promise<RoutedConnection> {
    return this.#options.route(this.#target, (socket) => this.#hold(socket));
  }

  async #secure(opened: RoutedConnection, session: TlsSession | undefined): Promise<Connection> {
    const { sessions, context } = this.#options;
    const { hostname } = this.#target;
    const startedMs = performance.now();
    const handshake = { hostname, target: targetOf(this.#target), session, sessions, context };
    const socket = await secure(opened.socket, handshake, (held) => this.#hold(held));
    return { ...opened, socket, tlsMs: performance.now() - startedMs };
  }

  /** Closes a socket that is opened after the connect was canceled. */
  #hold(socket: Socket): void {
    this.#socket = socket;
    if (this.#done === undefined) socket.destroy();
  }
}

function targetOf({ hostname, port }: DialTarget): string {
  return `${hostname}:${port}`;
}

/** Whether a handshake failed as it does with a receiver that offers sessions and cannot resume. */
function mayLackResumption(error: unknown): boolean {
  if (!(error instanceof EgressError)) return false;
  return error.code === 'connection' || (error.code === 'tls' && error.detail === 'protocol');
}
