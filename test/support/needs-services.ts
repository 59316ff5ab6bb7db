/**
 * Whether a run of these files needs PostgreSQL and Redis: not where all of them are under
 * `test/unit` (pure code) or `test/architecture` (the tree itself).
 * @param files as given on the command line; none means every test
 */
export function needsServices(files: readonly string[]): boolean {
  const pure = /(^|\/)test\/(unit|architecture)\//;
  return files.length === 0 || !files.every((file) => pure.test(file));
}
