/** What is used of PGlite. */
export interface Pglite {
  execProtocolRaw(message: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The session, while nobody else has it. Once it was ended or abandoned it does nothing. */
export interface Turn {
  /** @returns what the server answers */
  send(messages: Uint8Array): Promise<Buffer>;
  /** The session is idle: whoever waits longest has it next. */
  end(): void;
  /** The same in the middle of something, which is rolled back first. */
  abandon(): void;
}

const ROLLBACK = simpleQuery('ROLLBACK');

/** A PostgreSQL in this process: one session, which its clients have in turn. */
export class Engine {
  readonly #pglite: Pglite;
  #last: Promise<void> = Promise.resolve();

  constructor(pglite: Pglite) {
    this.#pglite = pglite;
  }

  /** Waits until everybody who came before is done. */
  async turn(): Promise<Turn> {
    const before = this.#last;
    let pass: () => void = () => undefined;
    this.#last = new Promise((resolve) => {
      pass = resolve;
    });
    await before;
    let sending: Promise<unknown> = Promise.resolve();
    const send = async (messages: Uint8Array): Promise<Buffer> => {
      const answer = this.#pglite.execProtocolRaw(messages);
      sending = answer.catch(() => undefined);
      return Buffer.from(await answer);
    };
    return {
      send,
      end: pass,
      abandon: () => void sending.then(() => send(ROLLBACK)).then(pass, pass),
    };
  }

  /** Waits for whoever is at work, and ends the server. */
  async close(): Promise<void> {
    await this.turn();
    await this.#pglite.close();
  }
}

/** A message of the simple protocol. */
function simpleQuery(text: string): Uint8Array {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
