import { toClosingLine } from './closing-line.ts';
import { startServices } from './services.ts';

const MAX_VIOLATIONS = 20;

/** A law, and the run that shows whether it holds. */
export interface LawRun {
  readonly name: string;
  /** One sentence: what must hold. */
  readonly law: string;
  readonly size: number;
  run(): Promise<{
    /** Sentences about what must not be; empty is good. */
    readonly violations: readonly string[];
    /** For the reader: by name, with the unit in the name. */
    readonly figures: Readonly<Record<string, number>>;
  }>;
}

/**
 * Runs those that the command line names, or all, with services of their own, and prints what they
 * found. Ends the process with 2 for an unknown name or option.
 * @param kind as in `There is no fault run x.`
 * @param options which arguments that begin with `--` there are
 * @returns the exit code: 0 if every law held, otherwise 1
 */
export async function runLaws(
  kind: string,
  all: readonly LawRun[],
  options: RegExp,
): Promise<number> {
  const named = process.argv.slice(2);
  const names = named.filter((argument) => !argument.startsWith('--'));
  const refused = named.filter((argument) => argument.startsWith('--') && !options.test(argument));
  if (refused.length > 0) {
    process.stdout.write(
      `There is no option ${refused.join(', ')}; there are ${options.source}.\n`,
    );
    process.exit(2);
  }
  const chosen = all.filter(({ name }) => names.length === 0 || names.includes(name));
  const unknown = names.filter((name) => !all.some((each) => each.name === name));
  if (unknown.length > 0) {
    const known = all.map(({ name, law }) => `  ${name}: ${law}\n`).join('');
    process.stdout.write(`There is no ${kind} run ${unknown.join(', ')}. There are:\n${known}`);
    process.exit(2);
  }
  const services = await startServices(() => undefined);
  Object.assign(process.env, services.environment);
  let failed = 0;
  try {
    for (const each of chosen) if (!(await holds(each))) failed += 1;
  } finally {
    await services.stop();
  }
  const counts = { passed: chosen.length - failed, failed, skipped: 0 };
  process.stdout.write(`${toClosingLine(counts)}\n`);
  return failed > 0 ? 1 : 0;
}

async function holds({ name, law, size, run }: LawRun): Promise<boolean> {
  process.stdout.write(`${name} (${size}): ${law}\n`);
  const startedMs = performance.now();
  try {
    const { violations, figures } = await run();
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    for (const [what, figure] of Object.entries(figures)) {
      process.stdout.write(`  ${what}: ${Math.round(figure * 10) / 10}\n`);
    }
    for (const violation of violations.slice(0, MAX_VIOLATIONS)) {
      process.stdout.write(`  VIOLATION ${violation}\n`);
    }
    process.stdout.write(`  ${violations.length === 0 ? 'held' : 'BROKEN'}, ${seconds} s\n`);
    return violations.length === 0;
  } catch (error) {
    process.stdout.write(`  ${error instanceof Error ? error.stack : String(error)}\n`);
    return false;
  }
}
