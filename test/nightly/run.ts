// `npm run test:nightly [-- PART... [--seed=N]]`: tests in depth what `npm test` samples or leaves out. Each
// part closes with its own line, `N passed, N failed[, N skipped]`, and the whole with their sum.
import { addCounts, toClosingLine } from '../support/closing-line.ts';
import type { Counts } from '../support/reporter.ts';
import { PARTS, type Part } from './all-parts.ts';
import { runProgram } from './run-part.ts';

const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };
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
    counts = addCounts(counts, await runProgram(part, own));
  }
  process.stdout.write(`${part.name}: ${toClosingLine(counts)}\n`);
  return counts;
}

function readSeed(): number | undefined {
  const text = given.find((argument) => argument.startsWith('--seed='))?.slice('--seed='.length);
  return text === undefined ? undefined : Number(text);
}
