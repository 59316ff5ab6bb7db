import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isNightly } from './depth.ts';

const TEST_FILE = /\.test\.(ts|mjs)$/;
/** These run in the nightly run alone, or when they are named. */
const NIGHTLY_FILE = /\.nightly\.test\.ts$/;

/**
 * The files of a run: all tests below the folders and the files that are named, or those of the whole
 * tree. Without `PAYMOUNT_TEST_DEPTH=nightly`, folders are searched for daily tests alone.
 * @param longest files in the order in which they start first, because they take longest: a long file
 *   that starts last runs alone at the end
 * @throws Error for a path where nothing is
 */
export function testFiles(
  paths: readonly string[],
  longest: readonly string[] = [],
): readonly string[] {
  const roots = paths.length > 0 ? paths : ['test'];
  const files = [...new Set(roots.flatMap(filesAt))];
  const place = (file: string): number =>
    longest.includes(file) ? longest.indexOf(file) : Infinity;
  return files.sort((one, other) => Math.sign(place(one) - place(other)) || (one < other ? -1 : 1));
}

function filesAt(path: string): readonly string[] {
  if (!existsSync(path)) throw new Error(`There is no ${path} to test.`);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => TEST_FILE.test(file) && (isNightly || !NIGHTLY_FILE.test(file)))
    .map((file) => join(path, file));
}
