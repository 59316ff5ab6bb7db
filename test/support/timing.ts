import { Agent, request } from 'node:http';

/** One of two requests that must not be told apart. */
export interface TimedRequest {
  readonly url: string;
  readonly method: string;
  readonly key: string;
}

/**
 * Times one request after another over one connection, without reading the clock between.
 * Close it at the end.
 */
export class Stopwatch {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @returns nanoseconds from the first byte sent to the last one received */
  time({ url, method, key }: TimedRequest): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      const start = process.hrtime.bigint();
      const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
        response.resume();
        response.on('end', () => resolve(Number(process.hrtime.bigint() - start)));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Numbers from 0 to 1, the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The sign test of pairs measured side by side: how far the share of pairs in which the first took
 * longer lies from one half, in standard deviations. A pair meets the same load, so that a busy
 * machine moves both; whatever times are like, chance alone exceeds 5 once in 1.7 million.
 */
export function signTest(pairs: readonly (readonly [number, number])[]): number {
  const unequal = pairs.filter(([one, other]) => one !== other);
  const longer = unequal.filter(([one, other]) => one > other).length;
  return (2 * longer - unequal.length) / Math.sqrt(unequal.length);
}
