import { runLaws } from '../support/run-laws.ts';
import type { Scenario } from './scenario.ts';

/**
 * Runs the scenarios that the command line names, or all: `[NAME...] [--full|--small] [--runs=N]
 * [--seed=N]`, at nightly size, at that of a release, at that of `npm test`, or at size N. A run that
 * leaves something to chance prints its seed.
 * @param kind as in `There is no fault run x.`
 * @returns the exit code
 */
export function runScenarios(kind: string, scenarios: readonly Scenario[]): Promise<number> {
  const chosen = (['full', 'small'] as const).find((name) => process.argv.includes(`--${name}`));
  const runs = numberOf('runs');
  const seed = numberOf('seed');
  const laws = scenarios.map(({ name, law, sizes, run }) => {
    const size = runs ?? sizes[chosen ?? 'nightly'];
    return {
      name,
      law,
      size,
      run: async () => {
        const { violations, counts } = await run(size, seed);
        return { violations, figures: counts };
      },
    };
  });
  return runLaws(kind, laws, /^--(full|small|(runs|seed)=\d+)$/);
}

function numberOf(option: string): number | undefined {
  const start = `--${option}=`;
  const given = process.argv.find((argument) => argument.startsWith(start));
  return given === undefined ? undefined : Number(given.slice(start.length));
}
