import { writeFile } from 'node:fs/promises';
import { pages } from './pages.ts';

/** `npm run docs`: writes the pages that are made from code. `test/architecture` reads them back. */
for (const { file, make } of pages) {
  await writeFile(new URL(`../../${file}`, import.meta.url), make());
  process.stdout.write(`${file}\n`);
}
