import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { percentile } from '../support/statistics.ts';

/** Where a run took place: ratios depend on it less than rates do, but they do. */
export interface Machine {
  readonly commit: string;
  readonly node: string;
  readonly postgres: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  /** Median time of one 8 KiB write and fdatasync in the temporary folder, µs. */
  readonly fdatasyncMicros: number;
}

const WRITES = 200;
const PAGE = Buffer.alloc(8_192, 1);

/** @param postgres version of the embedded server, or of the one at `DATABASE_URL` */
export function describeMachine(postgres: string): Machine {
  const [first] = cpus();
  return {
    commit: readCommit(),
    node: process.version,
    postgres,
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    fdatasyncMicros: fdatasyncMicros(),
  };
}

function fdatasyncMicros(): number {
  const file = join(tmpdir(), `paymount-fdatasync-${process.pid}`);
  const descriptor = openSync(file, 'w');
  try {
    const times = Array.from({ length: WRITES }, () => {
      const startedMs = performance.now();
      writeSync(descriptor, PAGE, 0, PAGE.length, 0);
      fdatasyncSync(descriptor);
      return (performance.now() - startedMs) * 1000;
    });
    return Math.round(percentile(times, 0.5));
  } finally {
    closeSync(descriptor);
    rmSync(file, { force: true });
  }
}

/** With a mark when the files differ from it. */
function readCommit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { encoding: 'utf8' }).trim();
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' (changed)';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return 'unknown';
  }
}
