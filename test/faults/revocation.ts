import { freshDatabase } from '../support/database.ts';
import { makeSealingKeys } from '../support/make.ts';
import { BOUND_MS } from './revocation/check-group.ts';
import { FAULTS } from './revocation/faults.ts';
import { measureGroup } from './revocation/measure-group.ts';
import {
  type FaultResult,
  measureRevocations,
  SELDOM_MS,
} from './revocation/measure-revocations.ts';
import { openSetup } from './revocation/setup.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';

/** Half a second, and the matrix of what may go wrong. */
export const revocation: Scenario = {
  name: 'revocation',
  law: `No process accepts a key later than ${BOUND_MS} ms after its access was taken away.`,
  sizes: { small: 15, nightly: 250, full: 1_000 },
  async run(revocations) {
    const database = await freshDatabase();
    try {
      const tally = new Tally();
      const results = await measureRevocations(database.url, revocations, ({ fault, maxMs }) =>
        tally.add(`${fault}: last accepted after ms`, Math.round(maxMs)),
      );
      return { violations: results.flatMap(listViolations), counts: tally.toCounts() };
    } finally {
      await database.drop();
    }
  },
};

function listViolations({ violations }: FaultResult): readonly string[] {
  return violations;
}

/** So many until it is seen once. */
const MORE_ROUNDS = 5;

/** A lease is counted by a clock: with one that is too slow the law must break, and be seen to. */
export const slowClock: Scenario = {
  name: 'revocation-slow-clock',
  law: 'A process whose clocks go at a quarter of their speed is caught accepting too late.',
  sizes: { small: 1, nightly: 1, full: 5 },
  async run(rounds): Promise<Findings> {
    const database = await freshDatabase();
    const setup = await openSetup({
      databaseUrl: database.url,
      accelerators: 'none',
      sealingKeys: makeSealingKeys(),
      clockRate: 0.25,
      servers: 1,
      askEveryMs: SELDOM_MS,
    });
    try {
      const fault = FAULTS.find(({ name }) => name === 'database silent before');
      if (fault === undefined) throw new Error('The fault has another name now.');
      let caught = 0;
      // On a busy machine the few requests of one round may all come too late to see it.
      for (let round = 0; round < rounds || (caught === 0 && round < MORE_ROUNDS); round += 1) {
        const { violations } = await measureGroup(setup, fault, round);
        caught += violations.filter((sentence) => sentence.includes('after "')).length;
      }
      return {
        violations: caught > 0 ? [] : ['Nothing was seen: this harness could not show it.'],
        counts: { 'accepted too late, as it must be': caught },
      };
    } finally {
      await setup.close();
      await database.drop();
    }
  },
};
