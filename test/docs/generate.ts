import { writeFile } from 'node:fs/promises';
import { pages } from './pages.ts';
import { schemaObjectsFile } from './schema-objects-file.ts';

/** `npm run docs`: writes the pages that are made from code. `test/architecture` reads them back. */
for (const { file, make } of pages) await write(file, make());
await write(
  'packages/storage-postgres/src/schema/schema-objects.generated.ts',
  await schemaObjectsFile(),
);

async function write(file: string, text: string): Promise<void> {
  await writeFile(new URL(`../../${file}`, import.meta.url), text);
  process.stdout.write(`${file}\n`);
}
