import { Agent, Client, type Dispatcher, Pool } from 'undici';
import type { Connection, Dial } from './connector.ts';
import { EgressError } from './egress-error.ts';
import { Exchange, type Line } from './exchange.ts';

/** One request, in undici's form. */
export interface ExchangeRequest extends Dispatcher.DispatchOptions {
  readonly exchange: Exchange;
}

const MAX_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 60_000;

/**
 * undici's agent with our connector and none of its timers. The number of
 * connections is bounded by the slots of the delivery engine, not here.
 * @param keepAlive false: each request gets its own connection, which is then closed
 */
export function createEgressAgent(dial: Dial, keepAlive: boolean): Agent {
  return new Agent({
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    pipelining: keepAlive ? 1 : 0,
    factory: (origin, poolOptions) =>
      new Pool(origin, {
        ...poolOptions,
        factory: (poolOrigin, clientOptions) => new LineClient(poolOrigin, clientOptions, dial),
      }),
  });
}

/** undici's client for one connection, which gives each exchange the facts about its socket. */
class LineClient extends Client {
  readonly #line: Line;

  constructor(origin: URL, options: object, dial: Dial) {
    const line: Line = { connection: undefined, requests: 0, dialing: undefined };
    super(origin, {
      ...options,
      connect: (target, callback) => {
        line.dialing = dial(target, (error, connection) => {
          line.dialing = undefined;
          if (connection === undefined) callback(error ?? new EgressError('connection'), null);
          else callback(null, take(line, connection));
        });
      },
    });
    this.#line = line;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if ('exchange' in options && options.exchange instanceof Exchange) {
      options.exchange.onLine(this.#line);
    }
    return super.dispatch(options, handler);
  }
}

function take(line: Line, connection: Connection): Connection['socket'] {
  line.connection = connection;
  line.requests = 0;
  return connection.socket;
}
