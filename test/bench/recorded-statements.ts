import type pg from 'pg';

/** One statement as the storage adapter sent it. */
export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Writes down what a pool sends, so that a floor can run the product's own SQL text: the two
 * cannot drift apart.
 */
export class StatementRecorder {
  readonly #recorded: RecordedStatement[] = [];

  /** From now on each connection that the pool opens is listened to. */
  listen(pool: pg.Pool): void {
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      const recording = (...args: unknown[]): unknown => {
        this.#recorded.push(toStatement(args[0]));
        return query(...args);
      };
      Object.assign(client, { query: recording });
    });
  }

  /** What `work` sent. */
  async record(work: () => Promise<unknown>): Promise<readonly RecordedStatement[]> {
    this.#recorded.length = 0;
    await work();
    return [...this.#recorded];
  }
}

function toStatement(query: unknown): RecordedStatement {
  if (typeof query === 'string') return { text: query, values: [] };
  const { text, values = [] } = query as pg.QueryConfig<unknown[]>;
  return { text, values };
}
