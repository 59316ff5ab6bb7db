import { openBacklogSetup, type Statistics } from '../support/backlog-setup.ts';
import { explainEngine } from '../support/engine-statements/all-statements.ts';
import type { Scenario } from './scenario.ts';

const OTHERS = 200;
/** `npm test` has more of them, at 10,000 pending deliveries. */
const STATISTICS: readonly Statistics[] = ['empty', 'of a time without pending deliveries', 'full'];

/** Everything that the engine sends, while many deliveries are pending. */
export const enginePlans: Scenario = {
  name: 'engine-plans',
  law: 'However many deliveries are pending, and whatever statistics say, no statement of the engine reads a table as a whole.',
  sizes: { small: 10_000, whole: 1_000_000 },
  async run(size) {
    const violations: string[] = [];
    let statements = 0;
    for (const endpoints of [20, 10_000]) {
      const setup = await openBacklogSetup({ endpoints, events: size });
      try {
        for (const statistics of STATISTICS) {
          const others = Math.min(OTHERS, endpoints - 1);
          await setup.load({ done: size / 10, atFirst: size, others }, statistics);
          const found = await explainEngine(setup);
          statements = Math.max(statements, found.names.length);
          const where = `${endpoints} endpoints, statistics ${statistics}`;
          violations.push(...found.violations.map((violation) => `${where}: ${violation}`));
        }
      } finally {
        await setup.close();
      }
    }
    return { violations, figures: { statements } };
  },
};
