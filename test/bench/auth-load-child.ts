import { percentile } from '../support/statistics.ts';
import { answerCommands } from './child.ts';
import { openRequestLoop, type RequestLoop } from './request-loop.ts';

/**
 * Loads two servers in turns of some 30 ms and compares the times of each pair of turns. A machine
 * whose speed doubles from one second to the next makes ratios of longer windows its own.
 */
const CONNECTIONS = 50;
const REQUESTS = 1_000;
const PRIMING_TURNS = 3;

interface Load {
  readonly subject: number;
  readonly floor: number;
  readonly keys: readonly string[];
}

/** What one round found. */
export interface AuthRound {
  /** Rate of the subject to that of the floor: the median of all pairs of turns. */
  readonly ratio: number;
  readonly operations: number;
  /** Of the subject and of the floor. */
  readonly seconds: { readonly subject: number; readonly floor: number };
}

let sides: { readonly subject: RequestLoop; readonly floor: RequestLoop } | undefined;

answerCommands({
  /** Opens the connections, and has every key served before anything is measured. */
  warmUp: async ({ subject, floor, keys }: Load) => {
    const load = { path: '/hello', keys, connections: CONNECTIONS };
    sides = { subject: openRequestLoop(subject, load), floor: openRequestLoop(floor, load) };
    for (let turn = 0; turn < PRIMING_TURNS; turn += 1) {
      await sides.subject.run(keys.length);
      await sides.floor.run(keys.length);
    }
  },
  measure: async (limitSeconds: number): Promise<AuthRound> => {
    if (sides === undefined) throw new Error('It is not warm.');
    const seconds = { subject: 0, floor: 0 };
    const ratios: number[] = [];
    const endMs = performance.now() + limitSeconds * 1_000;
    while (performance.now() < endMs) {
      // Which of the two goes first changes, so that neither always follows the other.
      const order = ratios.length % 2 === 0 ? ORDER : ORDER.toReversed();
      const taken = { subject: 0, floor: 0 };
      for (const side of order) taken[side] = await measureSeconds(sides[side]);
      ratios.push(taken.floor / taken.subject);
      seconds.subject += taken.subject;
      seconds.floor += taken.floor;
    }
    return { ratio: percentile(ratios, 0.5), operations: ratios.length * REQUESTS, seconds };
  },
});

const ORDER = ['subject', 'floor'] as const;

async function measureSeconds(side: RequestLoop): Promise<number> {
  const startedMs = performance.now();
  await side.run(REQUESTS);
  return (performance.now() - startedMs) / 1_000;
}
