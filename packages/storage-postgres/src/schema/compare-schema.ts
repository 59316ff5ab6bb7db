import type { Session } from '../transaction/session.ts';
import { readWithin } from '../transaction/snapshot.ts';
import { MIGRATIONS } from './migrations/all-migrations.ts';
import {
  readSchemaObjects,
  SCHEMA_OBJECT_KINDS,
  type SchemaObject,
  type SchemaObjectKind,
} from './schema-objects.ts';

/** A difference between the schema and what the migrations made. */
export type SchemaFault =
  | { readonly type: 'missing'; readonly made: SchemaObject }
  | { readonly type: 'changed'; readonly made: SchemaObject; readonly found: string }
  /** It may refuse what Paymount writes. */
  | { readonly type: 'added'; readonly found: SchemaObject };

/** The result of a comparison. */
export type SchemaComparison =
  | { readonly type: 'compared'; readonly faults: readonly SchemaFault[] }
  /** A newer version of Paymount has changed the schema, so only that version knows it. */
  | { readonly type: 'newer'; readonly migration: string };

/** Compares the schema with what the migrations of this version make; it only reads. */
export async function compareSchema(session: Session, limitMs: number): Promise<SchemaComparison> {
  // No process needs this list except `paymount doctor`.
  const { SCHEMA_OBJECTS } = await import('./schema-objects.generated.ts');
  return readWithin(session, limitMs, async (pinned) => {
    const migration = await newerMigration(pinned);
    if (migration !== undefined) return { type: 'newer', migration };
    const found = await readSchemaObjects(pinned);
    const made = SCHEMA_OBJECT_KINDS.flatMap((kind) =>
      SCHEMA_OBJECTS[kind].map((text) => parseObject(kind, text)),
    );
    return { type: 'compared', faults: faultsIn(found, made) };
  });
}

/** @param text the table, the name and the definition; names in our schema have no spaces */
function parseObject(kind: SchemaObjectKind, text: string): SchemaObject {
  const [table = '', name = '', ...definition] = text.split(' ');
  return { kind, table, name, definition: definition.join(' ') };
}

async function newerMigration(session: Session): Promise<string | undefined> {
  const { rows } = await session.plain<{ name: string }>(
    `SELECT name FROM ${session.statements.schema}.migrations WHERE name <> ALL ($1) ORDER BY name`,
    [MIGRATIONS.map(({ name }) => name)],
  );
  return rows.at(-1)?.name;
}

function faultsIn(
  found: readonly SchemaObject[],
  made: readonly SchemaObject[],
): readonly SchemaFault[] {
  const foundByKey = new Map(found.map((object) => [keyOf(object), object]));
  const madeKeys = new Set(made.map(keyOf));
  const tables = new Set(found.filter(({ kind }) => kind === 'table').map(({ name }) => name));
  const faults = made.flatMap((object): SchemaFault[] => {
    const same = foundByKey.get(keyOf(object));
    if (same === undefined) {
      // What belongs to a missing table is missing with it.
      return isPart(object) && !tables.has(object.table) ? [] : [{ type: 'missing', made: object }];
    }
    if (same.definition === object.definition) return [];
    return [{ type: 'changed', made: object, found: same.definition }];
  });
  const ours = new Set(made.filter(({ kind }) => kind === 'table').map(({ name }) => name));
  const added = found.filter(
    (object) => !madeKeys.has(keyOf(object)) && ours.has(object.table) && mayRefuse(object),
  );
  return [...faults, ...added.map((object): SchemaFault => ({ type: 'added', found: object }))];
}

function keyOf({ kind, table, name }: SchemaObject): string {
  return `${kind} ${table}.${name}`;
}

function isPart({ kind }: SchemaObject): boolean {
  return kind === 'column' || kind === 'constraint' || kind === 'index' || kind === 'trigger';
}

/** Another index or an optional column of the operator disturbs nothing. */
function mayRefuse({ kind, definition }: SchemaObject): boolean {
  if (kind === 'constraint' || kind === 'trigger') return true;
  if (kind === 'index') return definition.startsWith('CREATE UNIQUE ');
  return kind === 'column' && / NOT NULL(?!.* (?:DEFAULT|GENERATED) )/.test(definition);
}
