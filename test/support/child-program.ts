import { mkdir, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the repository, so that what it imports is found. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'paymount-tests');

/** The command as npm installs it. */
export const PAYMOUNT_PROGRAM = join(ROOT, 'packages/paymount/bin/paymount.js');

const built = new Map<string, Promise<string>>();

/**
 * A TypeScript program of the tests as one JavaScript file that plain `node` runs, with the packages
 * as `npm run build` wrote them: a process that translates everything itself starts three times slower.
 * @param source the program's URL
 * @returns the path of the file
 */
export function childProgram(source: URL): Promise<string> {
  const path = fileURLToPath(source);
  const program = built.get(path) ?? compile(path);
  built.set(path, program);
  return program;
}

async function compile(path: string): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const name = relative(ROOT, path).replaceAll(/\W/g, '-');
  const file = join(FOLDER, `${name}.mjs`);
  const own = join(FOLDER, `${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [path],
    outfile: own,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    plugins: [compiledPackages],
  });
  // At once: another worker may be starting it.
  await rename(own, file);
  return file;
}

/** What is imported from the source of a package comes from its build, like what it imports itself. */
const compiledPackages: Plugin = {
  name: 'compiled packages',
  setup({ onResolve }) {
    onResolve({ filter: /\/packages\/[^/]+\/src\// }, ({ path, resolveDir }) => {
      const source = join(resolveDir, path);
      const compiled = source.replace(/(\/packages\/[^/]+)\/src\/(.*)\.ts$/, '$1/dist/$2.js');
      return { path: compiled, external: true };
    });
  },
};
