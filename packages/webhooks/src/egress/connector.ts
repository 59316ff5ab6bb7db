import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AddressRules } from './address-rules.ts';
import { EgressError, foldTlsError } from './egress-error.ts';
import { type LookUp, resolveVetted } from './resolver.ts';

/** The destination in undici's form: no brackets around IPv6, an empty port for the default one. */
export interface DialTarget {
  readonly hostname: string;
  readonly port: string;
  readonly protocol: string;
}

/** An open, checked connection, with the duration of each step in milliseconds. */
export interface Connection {
  readonly socket: Socket;
  readonly remoteAddress: string;
  /** Absent for an IP literal. */
  readonly dnsMs?: number;
  readonly connectMs: number;
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
  readonly rules: AddressRules;
  readonly lookUp: LookUp;
  /** Certificate authorities instead of Node's, PEM; for tests with their own certificate. */
  readonly ca?: string;
}

// Receivers on slow networks respond within this time; after it the next address is tried as well.
const NEXT_ADDRESS_AFTER_MS = 2_500;

/**
 * The only way to connect to an address that a user gave. Every connect:
 * 1. checks an IP literal, or resolves the name and checks all its addresses;
 * 2. connects to a checked address, never to the name, so that a second answer of the name server
 * cannot lead elsewhere;
 * 3. checks the address it is connected to, before any byte of TLS or HTTP is sent;
 * 4. completes TLS 1.2 or higher with full verification against the name.
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
  #dnsMs: number | undefined;

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
    const startedMs = performance.now();
    try {
      const addresses = await this.#vet();
      if (isIP(this.#target.hostname) === 0) this.#dnsMs = performance.now() - startedMs;
      if (this.#done !== undefined) this.#connect(addresses);
    } catch (error) {
      this.cancel(error instanceof EgressError ? error : new EgressError('dns'));
    }
  }

  cancel(error: EgressError): void {
    const done = this.#done;
    this.#done = undefined;
    this.#socket?.destroy();
    done?.(error);
  }

  async #vet(): Promise<readonly string[]> {
    const { hostname } = this.#target;
    const { rules, lookUp } = this.#options;
    if (isIP(hostname) === 0) return resolveVetted(hostname, lookUp, rules);
    if (rules.classify(hostname) === 'refused') throw new EgressError('blocked_address');
    return [hostname];
  }

  #connect(addresses: readonly string[]): void {
    const { hostname, port, protocol } = this.#target;
    const secure = protocol === 'https:';
    const startedMs = performance.now();
    const socket = connectTcp({
      host: hostname,
      port: port === '' ? (secure ? 443 : 80) : Number(port),
      // Does not query DNS: it returns the checked address. Node skips it for IP literals.
      lookup: answerWith(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      noDelay: true,
    });
    this.#socket = socket;
    socket.once('error', () => this.cancel(new EgressError('connection')));
    socket.once('connect', () => {
      const connectMs = performance.now() - startedMs;
      const remoteAddress = socket.remoteAddress ?? '';
      if (this.#options.rules.classify(remoteAddress) === 'refused') {
        this.cancel(new EgressError(remoteAddress === '' ? 'connection' : 'blocked_address'));
        return;
      }
      if (secure) this.#secure(socket, { remoteAddress, connectMs });
      else this.#finish({ socket, remoteAddress, connectMs });
    });
  }

  #secure(
    raw: Socket,
    facts: { readonly remoteAddress: string; readonly connectMs: number },
  ): void {
    const { hostname } = this.#target;
    const { ca } = this.#options;
    const startedMs = performance.now();
    const socket = connectTls({
      socket: raw,
      // Used only to verify the certificate, not to connect.
      host: hostname,
      // RFC 6066: an address is not a valid server name.
      servername: isIP(hostname) === 0 ? hostname : '',
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    });
    this.#socket = socket;
    raw.removeAllListeners('error');
    raw.on('error', (error) => this.cancel(foldTlsError(error)));
    socket.once('error', (error) => this.cancel(foldTlsError(error)));
    socket.once('close', () => this.cancel(new EgressError('connection')));
    socket.once('secureConnect', () => {
      const tlsMs = performance.now() - startedMs;
      this.#finish({ socket, ...facts, tlsMs });
    });
  }

  #finish(connection: Omit<Connection, 'dnsMs'>): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(null, this.#dnsMs === undefined ? connection : { ...connection, dnsMs: this.#dnsMs });
  }
}

function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, answers);
}
