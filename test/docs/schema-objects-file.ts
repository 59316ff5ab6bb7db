import { PGlite } from '@electric-sql/pglite';
import { openDatabase } from '../../packages/storage-postgres/src/connection/open-database.ts';
import { openPglite } from '../../packages/storage-postgres/src/pglite/index.ts';
import { migrate } from '../../packages/storage-postgres/src/schema/migrate.ts';
import {
  readSchemaObjects,
  SCHEMA_OBJECT_KINDS,
  type SchemaObject,
} from '../../packages/storage-postgres/src/schema/schema-objects.ts';
import { Session } from '../../packages/storage-postgres/src/transaction/session.ts';
import { readWithin } from '../../packages/storage-postgres/src/transaction/snapshot.ts';

const LIMIT_MS = 30_000;

/**
 * What `paymount doctor` compares a schema with: the objects that the migrations make in an empty
 * database. It takes some seconds, so `test/cli/doctor.test.ts` does not make it again, but
 * expects no difference in a migrated database.
 */
export async function schemaObjectsFile(): Promise<string> {
  const { pool: connection, close } = openPglite(await PGlite.create());
  try {
    await migrate({ connection });
    const database = openDatabase({ connection });
    const objects = await readWithin(new Session(database), LIMIT_MS, readSchemaObjects);
    await database.close();
    return [
      '// Generated from the migrations by `npm run docs`; do not edit.',
      '// biome-ignore-all format: it is as it was generated',
      "import type { SchemaObjectKind } from './schema-objects.ts';",
      '',
      '/** What the migrations of this version make: table, name and definition of each object. */',
      'export const SCHEMA_OBJECTS: Readonly<Record<SchemaObjectKind, readonly string[]>> = {',
      ...SCHEMA_OBJECT_KINDS.flatMap((kind) => [
        `  ${kind}: [`,
        ...objects.filter((object) => object.kind === kind).map(line),
        '  ],',
      ]),
      '};',
      '',
    ].join('\n');
  } finally {
    await close();
  }
}

function line({ table, name, definition }: SchemaObject): string {
  return `    ${quoted(`${table} ${name} ${definition}`.trim())},`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
