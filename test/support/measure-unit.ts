import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** About a quarter of a second on a machine of 2024. */
const ROUNDS = 4_000;
const TRIES = 3;
const PROGRAM = fileURLToPath(import.meta.url);

/**
 * CPU seconds of a fixed piece of work: how fast this machine is now. Every core works at the same time, as
 * in a run of the tests, because two threads of one core slow each other down.
 */
export async function measureUnit(): Promise<number> {
  const all = await Promise.all(Array.from({ length: availableParallelism() }, measureInProcess));
  return all.reduce((sum, seconds) => sum + seconds, 0) / all.length;
}

async function measureInProcess(): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await once(child, 'close');
  const seconds = Number(printed);
  if (!(seconds > 0)) throw new Error(`The speed of this machine was not measured: ${printed}`);
  return seconds;
}

/** The least of several tries, because only disturbance makes the same work take longer. */
function leastOfTries(): number {
  const tries = Array.from({ length: TRIES }, () => {
    const before = process.cpuUsage();
    workOneUnit();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000_000;
  });
  return Math.min(...tries);
}

/** Text, objects, numbers and hashes, as tests have them. */
function workOneUnit(): void {
  let text = JSON.stringify(
    Array.from({ length: 200 }, (_, index) => ({ id: index, name: `n${index}` })),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    const parsed = JSON.parse(text) as { id: number; name: string }[];
    text = JSON.stringify(parsed.map(({ id, name }) => ({ id: (id * 31 + round) % 9_973, name })));
    createHash('sha256').update(text).digest('hex');
  }
}

if (process.argv[1] === PROGRAM) process.stdout.write(String(leastOfTries()));
