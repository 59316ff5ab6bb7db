/**
 * Writes `dist/cjs` of each package: the same modules as CommonJS, for what cannot `require()` ES
 * modules (jest, older loaders). It translates `dist`, file by file, so run `tsc -b` first.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PACKAGES = fileURLToPath(new URL('packages/', import.meta.url));
/** Libraries that are ES modules alone: they become part of the files that import them. */
const ES_MODULES_ONLY = ['jose'];
/** The command is a program, not a module that anybody requires. */
const PROGRAM = /^(bin|commands\/.*)\.(d\.ts|js)$/;
/** What browsers load, which Vite has built. */
const FOR_BROWSERS = /^app\//;

async function writeCommonJs(folder) {
  const dist = join(folder, 'dist');
  const cjs = join(dist, 'cjs');
  rmSync(cjs, { recursive: true, force: true });
  const files = readdirSync(dist, { recursive: true }).filter(
    (file) => !PROGRAM.test(file) && !FOR_BROWSERS.test(file),
  );
  await build({
    absWorkingDir: dist,
    entryPoints: files.filter((file) => file.endsWith('.js')),
    outdir: cjs,
    outbase: dist,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    bundle: true,
    plugins: [oneFileEach],
    define: { 'import.meta.url': '__filename' },
    // Without source maps, to keep an installation small: Node loads the ES modules, which have them.
    // Runners without ES modules cannot `import()` either.
    supported: { 'dynamic-import': false },
  });
  for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(dist, file), 'utf8');
    writeFileSync(join(cjs, file), text.replace(/\n\/\/# sourceMappingURL=.*/, ''));
  }
  mkdirSync(cjs, { recursive: true });
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  copyLicenses(folder, cjs);
}

/** Every import stays one, apart from libraries that CommonJS could not load. */
const oneFileEach = {
  name: 'one file each',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind, importer }) => {
      const isInlined = ES_MODULES_ONLY.includes(path) || /[\\/]node_modules[\\/]/.test(importer);
      return kind === 'entry-point' || isInlined ? undefined : { path, external: true };
    });
  },
};

/** A library that is part of our files brings its licence. */
function copyLicenses(folder, cjs) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const library of ES_MODULES_ONLY.filter((name) => name in dependencies)) {
    let root = dirname(fileURLToPath(import.meta.resolve(library)));
    while (!existsSync(join(root, 'LICENSE.md'))) root = dirname(root);
    cpSync(join(root, 'LICENSE.md'), join(cjs, `LICENSE.${library}.md`));
  }
}

for (const name of readdirSync(PACKAGES)) {
  // A former package's folder keeps its `dist`.
  if (existsSync(join(PACKAGES, name, 'package.json'))) await writeCommonJs(join(PACKAGES, name));
}
