import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each worker keeps a file of this name, and its process id, in the folder of the run. */
export const RUNNING_PREFIX = 'running-';

/** @returns the tests and hooks that the workers of a run are in, each with its file */
export function runningTests(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(RUNNING_PREFIX))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
