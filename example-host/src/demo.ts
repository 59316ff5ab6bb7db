import { findPlace, toFacts, writeDemoFile } from './demo/demo-file.ts';
import { openSetup, type Setup } from './demo/setup.ts';
import type { Memory } from './demo/step.ts';
import { STEPS } from './demo/steps.ts';
import { UndoStack } from './demo/undo-stack.ts';
import { whatNext } from './demo/what-next.ts';

/**
 * `npm run demo`: starts the shop with everything it needs, shows what Paymount does, and runs
 * until Ctrl-C. With `--once` it exits after the last step: with 0, or with 1 and the reason. With
 * `--week` the merchant has a week of traffic already. It exits with 2 for an unknown flag.
 */
const SHOW_LIMIT_MS = 90_000;
/** For each day of traffic. */
const DAY_LIMIT_MS = 30_000;
const CLOSE_LIMIT_MS = 30_000;

const FLAGS = {
  '--once': 'end after the last step',
  '--week': 'begin with a week of traffic, which takes about a minute',
};

const undo = new UndoStack();
const flags = process.argv.slice(2);
const once = flags.includes('--once');
const pastDays = flags.includes('--week') ? 7 : 0;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Not `once`: under npm Ctrl-C arrives twice, and a signal without a listener would end the
  // process.
  process.on(signal, () => {
    interrupted = true;
    void end(0);
  });
}
// The reader may close the pipe early, for example `| head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  interrupted = true;
  void end(0);
});

const unknown = flags.find((flag) => !Object.hasOwn(FLAGS, flag));
if (unknown !== undefined) {
  const known = Object.entries(FLAGS).map(([flag, does]) => `\n  ${flag}    ${does}`);
  process.stderr.write(`The demo does not know ${unknown}. Its flags:${known.join('')}\n`);
  process.exit(2);
}
try {
  await within(SHOW_LIMIT_MS + pastDays * DAY_LIMIT_MS, show());
  if (once) await end(0);
} catch (error) {
  if (!interrupted) {
    say(`\nThe demo failed. ${error instanceof Error ? error.message : String(error)}`);
    await end(1);
  }
}

async function show(): Promise<void> {
  say('Paymount: a shop that mounts it, in one process\n');
  const { file, other } = await findPlace();
  if (other !== undefined) {
    say(`  Another demo runs here (pid ${other.pid}) and keeps ${other.file}.`);
    say(`  This one has ${file} in its place; the log begins anew, for both.\n`);
  }
  if (pastDays > 0) say(`  Living through the traffic of ${pastDays} days, for about a minute\n`);
  const setup = await openSetup(undo, pastDays);
  await writeDemoFile(file, toFacts(setup), undo);
  for (const line of setup.described) say(`  ${line}`);
  say('');
  await runSteps(setup);
  if (once) return;
  say(`\nTo try next (keys and token are in ${file} too):\n`);
  for (const line of await whatNext(setup, file)) say(`  ${line}`);
  say('\nEvents go to the shop at /webhooks. Ctrl-C ends everything.');
}

async function runSteps(setup: Setup): Promise<void> {
  const memory: Memory = {};
  for (const { tries, run } of STEPS) {
    try {
      say(`  ✔ ${await run(setup, memory)}`);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`It tried ${tries}: ${reason}`, { cause });
    }
  }
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `It took longer than ${limitMs / 1000} s.`;
    timer = setTimeout(() => reject(new Error(message)), limitMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closes everything in reverse order, within a time limit. */
async function end(code: number): Promise<void> {
  try {
    await within(CLOSE_LIMIT_MS, undo.close());
  } catch (error) {
    say(`Not everything closed: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
  process.exit(code);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
