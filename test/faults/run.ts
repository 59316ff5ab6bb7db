// `npm run test:faults -- [NAME...] [--full|--small] [--seed=N]`: the fault runs at nightly size, at that
// of a release, or at that of `npm test`. A run that leaves something to chance prints its seed.
import { startServices } from '../support/services.ts';
import { SCENARIOS } from './all-scenarios.ts';
import type { Scenario } from './scenario.ts';

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const chosenSize = (['full', 'small'] as const).find((name) => process.argv.includes(`--${name}`));
const seeds = process.argv.flatMap((argument) => /^--seed=(\d+)$/.exec(argument)?.[1] ?? []);
const seed = seeds.length > 0 ? Number(seeds[0]) : undefined;
const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name));
const unknown = names.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  const known = SCENARIOS.map(({ name, law }) => `  ${name}: ${law}\n`).join('');
  process.stdout.write(`There is no fault run ${unknown.join(', ')}. There are:\n${known}`);
  process.exit(2);
}
const services = await startServices(() => undefined);
Object.assign(process.env, services.environment);
let failed = 0;
try {
  for (const scenario of chosen) if (!(await runOne(scenario))) failed += 1;
} finally {
  await services.stop();
}
process.stdout.write(`${chosen.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

async function runOne({ name, law, sizes, run }: Scenario): Promise<boolean> {
  const size = sizes[chosenSize ?? 'nightly'];
  process.stdout.write(`${name} (${size}): ${law}\n`);
  const startedMs = performance.now();
  try {
    const { violations, counts } = await run(size, seed);
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    for (const [what, count] of Object.entries(counts)) {
      process.stdout.write(`  ${what}: ${count}\n`);
    }
    for (const violation of violations.slice(0, 20))
      process.stdout.write(`  VIOLATION ${violation}\n`);
    process.stdout.write(`  ${violations.length === 0 ? 'held' : 'BROKEN'}, ${seconds} s\n`);
    return violations.length === 0;
  } catch (error) {
    process.stdout.write(`  ${error instanceof Error ? error.stack : String(error)}\n`);
    return false;
  }
}
