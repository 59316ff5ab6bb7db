// `npm run test:nightly [-- PART... [--seed=N]]`: tests in depth what `npm test` samples or leaves out. Each
// part closes with its own line, `N passed, N failed[, N skipped]`, and the whole with their sum.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { addCounts, readClosingLine, toClosingLine } from '../support/closing-line.ts';
import type { Counts } from '../support/reporter.ts';
import { PARTS, type Part } from './all-parts.ts';

const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };
const ONE_FAILED: Counts = { passed: 0, failed: 1, skipped: 0 };
/** Of one program; the largest tables alone take two hours to fill. */
const LIMIT_MS = 5 * 3_600_000;
const MAX_SEED = 2 ** 31;

const given = process.argv.slice(2);
const seed = readSeed() ?? Math.floor(Math.random() * MAX_SEED);
const names = given.filter((argument) => !argument.startsWith('--seed='));
const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  const known = PARTS.map(({ name, about }) => `  ${name}: ${about}\n`).join('');
  process.stdout.write(`There is no part ${unknown.join(', ')}. There are:\n${known}`);
  process.exit(2);
}
let sum = NONE;
const lines: string[] = [];
for (const part of PARTS.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const counts = await runPart(part);
  sum = addCounts(sum, counts);
  lines.push(`${part.name}: ${toClosingLine(counts)}\n`);
}
process.stdout.write(lines.join(''));
process.exitCode = sum.failed > 0 ? 1 : 0;
process.stdout.write(`${toClosingLine(sum)}\n`);

/** Runs a part as often as it asks for, and closes with its line. */
async function runPart(part: Part): Promise<Counts> {
  let counts = NONE;
  for (let time = 0; time < (part.times ?? 1); time += 1) {
    const own = part.takesSeed ? seed + time : undefined;
    const random = own === undefined ? 'nothing is random' : `seed ${own}`;
    process.stdout.write(`\n${part.name}: ${part.about} (${random})\n`);
    counts = addCounts(counts, await runOnce(part, own));
  }
  process.stdout.write(`${part.name}: ${toClosingLine(counts)}\n`);
  return counts;
}

async function runOnce({ program, args }: Part, own: number | undefined): Promise<Counts> {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  // The suite takes the seed from its environment, the other programs as an option.
  const isSuite = program === 'run.ts';
  const options = own === undefined || isSuite ? [] : [`--seed=${own}`];
  const child = spawn(process.execPath, [...process.execArgv, path, ...args, ...options], {
    stdio: ['inherit', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
    env: {
      ...process.env,
      PAYMOUNT_TEST_DEPTH: 'nightly',
      ...(own !== undefined && { PAYMOUNT_TEST_SEED: String(own) }),
    },
  });
  let rest = '';
  let counts: Counts | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    const printed = (rest + text).split('\n');
    rest = printed.pop() ?? '';
    for (const line of printed) counts = readClosingLine(line) ?? counts;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (counts === undefined) return ONE_FAILED;
  // A benchmark that could not be measured ends its program with 2, and is counted as skipped.
  const isExplained = code === 0 || counts.failed > 0 || counts.skipped > 0;
  return isExplained ? counts : addCounts(counts, ONE_FAILED);
}

function readSeed(): number | undefined {
  const text = given.find((argument) => argument.startsWith('--seed='))?.slice('--seed='.length);
  return text === undefined ? undefined : Number(text);
}
