// `npm run test:scale -- [NAME...] [--small]`: shows on large tables what must not depend on their size.
import { startServices } from '../support/services.ts';
import { SCENARIOS } from './all-scenarios.ts';
import type { Findings, Scenario } from './scenario.ts';

/** Of one scenario. */
const LIMIT_MINUTES = 20;

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const chosenSize = process.argv.includes('--small') ? 'small' : 'whole';
const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name));
const unknown = names.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  const known = SCENARIOS.map(({ name, law }) => `  ${name}: ${law}\n`).join('');
  process.stdout.write(`There is no scale run ${unknown.join(', ')}. There are:\n${known}`);
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
// Also ends what a scenario that took too long has left open.
process.exit(failed > 0 ? 1 : 0);

async function runOne({ name, law, sizes, run }: Scenario): Promise<boolean> {
  const size = sizes[chosenSize];
  process.stdout.write(`${name} (${size}): ${law}\n`);
  const startedMs = performance.now();
  try {
    const { violations, figures } = await withLimit(run(size));
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    for (const [what, figure] of Object.entries(figures)) {
      process.stdout.write(`  ${what}: ${Math.round(figure * 10) / 10}\n`);
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

function withLimit(work: Promise<Findings>): Promise<Findings> {
  return new Promise((resolve, reject) => {
    const error = new Error(`The scenario took more than ${LIMIT_MINUTES} minutes.`);
    const timer = setTimeout(() => reject(error), LIMIT_MINUTES * 60_000);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
