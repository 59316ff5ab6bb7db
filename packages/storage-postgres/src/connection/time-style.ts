import { columnTypes } from './column-types.ts';
import { type Connection, send } from './send.ts';

const SETTING_LIMIT_MS = 5_000;
/** The order of day and month in what is read stays. */
const ISO = 'ISO';

/**
 * The settings of a role or a database can change how a server writes times (`DateStyle`), and only the
 * ISO style can be read. Our connections get it once. Those of a host's pool get it for as long as we use
 * them, because the host reads times in its own style.
 */
export class TimeStyles {
  /** The style of each connection that we have used; of our own it is the ISO style. */
  readonly #known = new WeakMap<Connection, string>();
  readonly #areOurs: boolean;

  constructor(areOurs: boolean) {
    this.#areOurs = areOurs;
  }

  /** Makes the server write times in the ISO style. */
  async borrow(connection: Connection): Promise<void> {
    let style = this.#known.get(connection);
    if (style === undefined) {
      style = await readStyle(connection);
      const isKept = this.#areOurs && !style.startsWith('ISO');
      if (isKept) await setStyle(connection, ISO);
      this.#known.set(connection, isKept ? ISO : style);
      if (isKept) return;
    }
    if (!style.startsWith('ISO')) await setStyle(connection, ISO);
  }

  /** Gives a host's connection its own style back. Never rejects: a connection that is lost has none. */
  async giveBack(connection: Connection): Promise<void> {
    const style = this.#known.get(connection);
    if (style === undefined || style.startsWith('ISO')) return;
    await setStyle(connection, style).catch(() => undefined);
  }
}

async function readStyle(connection: Connection): Promise<string> {
  const { rows } = await send<{ style: string }>(
    connection,
    query(`SELECT current_setting('datestyle') AS style`),
  );
  return rows[0]?.style ?? ISO;
}

async function setStyle(connection: Connection, style: string): Promise<void> {
  await send(connection, query(`SET datestyle = '${style}'`));
}

const query = (text: string) => ({ text, types: columnTypes, query_timeout: SETTING_LIMIT_MS });
