/**
 * Builds the pages for browsers, `app`, into `dist/app`. It does nothing if `dist/app` was made from the
 * same sources: run it as often as you like.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const APP = join(FOLDER, 'app');
const BUILT = join(FOLDER, 'dist', 'app');
/** Says from which sources `dist/app` was made. */
const MADE_FROM = join(BUILT, '.sources');

function digestOfSources() {
  const digest = createHash('sha256');
  const inApp = readdirSync(APP, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const others = ['build-app.mjs', 'package.json'].map((name) => join(FOLDER, name));
  for (const file of [...inApp.sort(), ...others]) {
    digest
      .update(`${file.slice(FOLDER.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return digest.digest('hex');
}

async function buildApp() {
  // Loading Vite takes longer than comparing the sources.
  const { build } = await import('vite');
  const { default: react } = await import('@vitejs/plugin-react');
  await build({
    root: APP,
    // The server puts the address of the mount into the page, and files are relative to it.
    base: './',
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir: BUILT,
      emptyOutDir: true,
      target: 'es2023',
      // The first versions with `light-dark()`.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // A `data:` address of a font or script is against the Content-Security-Policy.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // What the licences of the bundled libraries require.
      license: { fileName: 'licenses.md' },
      // Of text before compression: the reference of the API. The benchmark limits the first page.
      chunkSizeWarningLimit: 1_600,
    },
  });
}

const sources = digestOfSources();
if (!existsSync(MADE_FROM) || readFileSync(MADE_FROM, 'utf8') !== sources) {
  await buildApp();
  writeFileSync(MADE_FROM, sources);
}
