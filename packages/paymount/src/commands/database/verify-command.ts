import { type CliContext, EXIT } from '@paymount/cli';
import type { VerifyPlan, VerifyProgress } from '@paymount/core/ledger';
import { systemClock } from '../../adapters/system-clock.ts';
import { readSettings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';

const TICK_MS = 1_000;
/** Without a terminal, every line stays in a log: the first after five seconds. */
const TICKS_PER_NOTE = 10;
const FIRST_NOTE = 5;
const MILLION = 1_000_000;
/** As people read sizes, the largest first. */
const SIZES = [
  [1_000_000_000, 'GB'],
  [1_000_000, 'MB'],
] as const;

/**
 * `paymount verify`: compares money, states and events, and prints each difference when it is
 * found; exits with 1 if anything does not agree.
 */
export async function verifyCommand(context: CliContext): Promise<number> {
  const settings = await readSettings(context);
  const watch = new Watch(context);
  const differences = await withStorage(settings, (storage) =>
    storage.verify({
      connections: 2,
      onPlan: (plan) => watch.printNote(planText(plan)),
      onDifference: ({ rule, subject, expected, found }) =>
        watch.printLine(
          `Broken rule: ${rule} Broken by ${subject}; expected: ${expected}; found: ${found}`,
        ),
      onProgress: (progress) => watch.at(progress),
    }),
  ).finally(() => watch.end());
  const { found } = watch.progress;
  const agrees = found === 0;
  const shown = differences.length;
  const rest = shown < found ? ` ${shown} are shown, at most 100 of each rule.` : '';
  context.report({ agrees, found, differences }, [
    agrees ? 'The books agree.' : `Found ${counted(found)}.${rest}`,
  ]);
  return agrees ? EXIT.done : EXIT.failed;
}

/** Shows progress: each second on a terminal, otherwise every ten seconds. */
class Watch {
  progress: VerifyProgress = { checked: 0, rules: 0, found: 0 };
  readonly #context: CliContext;
  readonly #startedMs = systemClock.monotonicMs();
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;

  constructor(context: CliContext) {
    this.#context = context;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  at(progress: VerifyProgress): void {
    this.progress = progress;
    this.#context.progress?.(this.#text());
  }

  printLine(line: string): void {
    this.#context.progress?.('');
    this.#context.printText(line);
  }

  printNote(line: string): void {
    this.#context.progress?.('');
    this.#context.printNote(line);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#context.progress?.('');
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#context.progress) this.#context.progress(this.#text());
    else if (this.#ticks % TICKS_PER_NOTE === FIRST_NOTE) this.#context.printNote(this.#text());
  }

  #text(): string {
    const { checked, rules, found, rows } = this.progress;
    const seconds = ((systemClock.monotonicMs() - this.#startedMs) / 1_000).toFixed(1);
    const done = rules === 0 ? 'Checking the books' : `Checked ${checked} of ${rules} rules`;
    const read = rows
      ? `, read ${rowsText(rows.read)} of about ${rowsText(rows.expected)} rows`
      : '';
    return `${done}${read}: ${counted(found)} so far, ${seconds} s.`;
  }
}

function counted(found: number): string {
  return `${found} ${found === 1 ? 'difference' : 'differences'}`;
}

/** What it will need. */
function planText({ rows, diskBytes }: VerifyPlan): string {
  const size = SIZES.find(([bytes]) => diskBytes >= bytes);
  const sorts =
    size === undefined
      ? 'sorts in memory'
      : `sorts with up to about ${(diskBytes / size[0]).toFixed(1)} ${size[1]} of temporary files of the server`;
  return `Reads about ${rowsText(rows)} rows, and ${sorts}.`;
}

function rowsText(rows: number): string {
  return rows < MILLION ? String(rows) : `${(rows / MILLION).toFixed(1)} million`;
}
