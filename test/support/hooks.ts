import { configureGlobal } from 'fast-check';
import { closeChromium } from './chromium.ts';
import { needsServices } from './needs-services.ts';
import { takeViolations } from './no-outside.ts';
import type { Services } from './services.ts';

const seed = process.env['PAYMOUNT_TEST_SEED'];
if (seed !== undefined) configureGlobal({ seed: Number(seed) });
let services: Services | undefined;

/** Loaded by mocha before every run (`.mocharc.json`), in each of its processes. */
export const mochaHooks = {
  afterEach(): void {
    const violations = takeViolations();
    if (violations.length > 0)
      throw new Error(`This test left the machine: ${violations.join(', ')}`);
  },
};

/** `npx mocha FILE` without the runner: starts the services itself, unless all is pure code. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.env['PAYMOUNT_TEST_COUNTS']) {
    endWithRunner();
    return;
  }
  const files = process.argv.slice(2).filter((argument) => argument.endsWith('.test.ts'));
  if (!needsServices(files)) return;
  const { startServices } = await import('./services.ts');
  services = await startServices(() => undefined);
  Object.assign(process.env, services.environment);
}

/** Called in the first process alone; it has run tests itself only with `--no-parallel`. */
export async function mochaGlobalTeardown(): Promise<void> {
  await closeChromium();
  await services?.stop();
}

/** The runner holds our standard input open; it ends when the runner is killed, and so do we all. */
function endWithRunner(): void {
  process.stdin.on('end', () => process.kill(0, 'SIGKILL'));
  process.stdin.resume().unref();
}
