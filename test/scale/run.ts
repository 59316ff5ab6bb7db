// `npm run test:scale -- [NAME...] [--small]`: shows on large tables what must not depend on their size.
import { withTimeout } from '@paymount/core/kernel';
import { runLaws } from '../support/run-laws.ts';
import { SCENARIOS } from './all-scenarios.ts';

/** Of one scenario. */
const LIMIT_MINUTES = 120;

const chosenSize = process.argv.includes('--small') ? 'small' : 'whole';

const exitCode = await runLaws(
  'scale',
  SCENARIOS.map(({ name, law, sizes, run }) => {
    const size = sizes[chosenSize];
    return {
      name,
      law,
      size,
      run: () =>
        withTimeout(run(size), LIMIT_MINUTES * 60_000, () => {
          throw new Error(`The scenario took more than ${LIMIT_MINUTES} minutes.`);
        }),
    };
  }),
  /^--small$/,
);
// Also ends what a scenario that took too long has left open.
process.exit(exitCode);
