import { type FaultResult, measureRevocations } from '../faults/revocation/measure-revocations.ts';
import { Cleanup } from '../support/cleanup.ts';
import { openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import type { Settings } from './rounds.ts';

/** Each round runs the whole matrix once, of some 230 revocations. */
const REVOCATIONS_PER_ROUND = 234;
const HEALTHY = 'none';

/**
 * From the acknowledged commit that takes access away to the last decision of any of four busy
 * server processes to accept it all the same, under each fault.
 */
export async function measureRevoke({ server, rounds, say }: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(server));
    say(`  ${HEAD}`);
    const results = await measureRevocations(
      database.url,
      rounds * REVOCATIONS_PER_ROUND,
      (result) => say(`  ${toRow(result)}`),
    );
    const healthy = results.filter(({ fault }) => fault === HEALTHY);
    return {
      figures: [
        {
          name: 'healthy, p99',
          unit: 'ms',
          values: healthy.map(({ p99Ms }) => p99Ms),
          atMost: 50,
          goal: 10,
        },
        {
          name: 'any fault, last',
          unit: 'ms',
          values: [Math.max(...results.map(({ maxMs }) => maxMs))],
          atMost: 500,
        },
        {
          name: 'any fault, until it is over',
          unit: 'ms',
          values: [Math.max(...results.map(({ recoveryMs }) => recoveryMs))],
          atMost: 3_000,
        },
      ],
      sides: [],
      invalid: results.flatMap(({ violations }) => violations),
    };
  } finally {
    await cleanup.run();
  }
}

const COLUMNS = ['fault', 'revocations', 'p50', 'p99', 'last accept', 'its turn', 'recovery'];
const WIDTHS = [32, 11, 8, 8, 11, 8, 8];
const HEAD = toLine(COLUMNS);

function toRow(result: FaultResult): string {
  const { fault, revocations, p50Ms, p99Ms, maxMs, turnMs, recoveryMs } = result;
  const times = [p50Ms, p99Ms, maxMs, turnMs, recoveryMs].map((ms) => `${ms.toFixed(0)} ms`);
  return toLine([fault, String(revocations), ...times]);
}

function toLine(cells: readonly string[]): string {
  return cells
    .map((cell, index) =>
      index === 0 ? cell.padEnd(WIDTHS[0] ?? 0) : cell.padStart(WIDTHS[index] ?? 0),
    )
    .join('  ');
}
