// `npm run test:faults -- [NAME...] [--full|--small] [--seed=N]`: the fault runs at nightly size, at that
// of a release, or at that of `npm test`. A run that leaves something to chance prints its seed.
import { runLaws } from '../support/run-laws.ts';
import { SCENARIOS } from './all-scenarios.ts';

const chosenSize = (['full', 'small'] as const).find((name) => process.argv.includes(`--${name}`));
const seeds = process.argv.flatMap((argument) => /^--seed=(\d+)$/.exec(argument)?.[1] ?? []);
const seed = seeds.length > 0 ? Number(seeds[0]) : undefined;

process.exitCode = await runLaws(
  'fault',
  SCENARIOS.map(({ name, law, sizes, run }) => {
    const size = sizes[chosenSize ?? 'nightly'];
    return {
      ...{ name, law, size },
      run: async () => {
        const { violations, counts } = await run(size, seed);
        return { violations, figures: counts };
      },
    };
  }),
  /^--(full|small|seed=\d+)$/,
);
