import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { Connection, Dial, Dialing } from './connector.ts';
import { type EgressDetail, EgressError } from './egress-error.ts';
import type { Exchange, ExchangeLine, StartedRequest } from './exchange.ts';
import { findHeadFault } from './head-fault.ts';
import { ResponseHeads } from './response-heads.ts';

/** The request of one exchange. */
export interface LineRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const MAX_HEADER_BYTES = 16_384;
/**
 * Unless the receiver says how long it keeps connections. Shorter than the 2 s of common servers:
 * a request that meets a closing connection waits for its next attempt.
 */
const KEEP_ALIVE_MS = 1_500;
const MAX_KEEP_ALIVE_MS = 60_000;

/**
 * One connection, and undici's client for it. States: new, connecting, then in turn busy with an
 * exchange and free, closed. It connects once, for its first exchange: undici connects again after
 * each aborted request, for a request that nobody waits for.
 */
export class Line implements ExchangeLine {
  readonly origin: string;
  readonly #client: Client;
  readonly #onClosed: (line: Line) => void;
  readonly #heads = new ResponseHeads();
  #exchange: Exchange | undefined;
  #dialing: Dialing | undefined;
  #hasDialed = false;
  #connection: Connection | undefined;
  #requests = 0;
  #unfinishedWrites = 0;
  #bytesBefore = 0;

  /** @param onClosed called once the connection is closed */
  constructor(origin: string, dial: Dial, onClosed: (line: Line) => void) {
    this.origin = origin;
    this.#onClosed = onClosed;
    this.#client = new Client(origin, {
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      pipelining: 1,
      connect: (target, callback) => {
        if (this.#hasDialed) {
          callback(new EgressError('connection'), null);
          return;
        }
        this.#hasDialed = true;
        this.#dialing = dial(target, (error, connection) => {
          this.#dialing = undefined;
          if (connection === undefined) callback(error ?? new EgressError('connection'), null);
          else callback(null, this.#open(connection));
        });
      },
    });
  }

  /** Whether it is open and can take an exchange. */
  get isFree(): boolean {
    const isOpen = this.#connection !== undefined && !this.#connection.socket.destroyed;
    return isOpen && this.#exchange === undefined && this.#unfinishedWrites === 0;
  }

  /** Sends one request; its end and its response go to the exchange. */
  run({ path, headers, body }: LineRequest, exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.onLine(this);
    this.#client.dispatch({ path, method: 'POST', headers, body }, exchange);
  }

  start(): StartedRequest | undefined {
    const connection = this.#connection;
    if (connection === undefined) return undefined;
    this.#requests += 1;
    this.#heads.expect();
    this.#bytesBefore = connection.socket.bytesRead;
    return { connection, isReused: this.#requests > 1 };
  }

  cancelDial(error: EgressError): void {
    this.#dialing?.cancel(error);
  }

  findFault(): EgressDetail {
    return findHeadFault(this.#heads.passed);
  }

  /** Says that its exchange has ended. */
  release(): void {
    this.#exchange = undefined;
    this.#heads.forget();
  }

  close(): void {
    this.#connection?.socket.destroy();
  }

  #open(connection: Connection): Socket {
    const { socket } = connection;
    this.#connection = connection;
    this.#followWrites(socket);
    this.#readHeads(socket);
    // After the listeners of undici, so that the parser has read the bytes.
    this.#client.once('connect', () => {
      socket.on('readable', () => this.#countBytes(socket));
      socket.once('close', () => this.#onClosed(this));
    });
    return socket;
  }

  /**
   * A socket of Node closes when a write fails, with a response unread that the receiver sent
   * before it closed the connection. So failed writes are not reported to it. Reading continues, and
   * ends with the response, with the closed connection or at the deadline.
   */
  #followWrites(socket: Socket): void {
    const [write, writev] = [socket._write, socket._writev];
    const follow = (callback: (error?: Error | null) => void): ((error?: Error | null) => void) => {
      this.#unfinishedWrites += 1;
      return (error) => {
        if (error) return;
        this.#unfinishedWrites -= 1;
        callback();
      };
    };
    socket._write = (chunk, encoding, callback) =>
      write.call(socket, chunk, encoding, follow(callback));
    if (writev !== undefined) {
      socket._writev = (chunks, callback) => writev.call(socket, chunks, follow(callback));
    }
  }

  /** What the parser would refuse although a client must accept it, is changed before it is read. */
  #readHeads(socket: Socket): void {
    const push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null) => {
      const bytes = chunk === null ? this.#heads.end() : this.#heads.read(chunk);
      if (this.#heads.leftOut > 0) this.#exchange?.onLeftOut(this.#heads.leftOut);
      if (bytes.length === 0 && chunk !== null) {
        this.#countBytes(socket);
        return true;
      }
      const isTaken = bytes.length === 0 || push(bytes);
      return chunk === null ? push(null) : isTaken;
    };
  }

  #countBytes(socket: Socket): void {
    this.#exchange?.onBytes(socket.bytesRead - this.#bytesBefore);
  }
}
