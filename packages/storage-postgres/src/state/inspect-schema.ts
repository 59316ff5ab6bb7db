import type { Finding } from '@paymount/core/store';
import { compareSchema, type SchemaFault } from '../schema/compare-schema.ts';
import { SCHEMA_PLACE, type SchemaObject } from '../schema/schema-objects.ts';
import type { Session } from '../transaction/session.ts';

const SUBJECT = 'schema';
const LIMIT_MS = 5_000;
const SHOWN = 20;
const BACKUP = 'Restore it from a backup.';

/** Whether the tables, columns, indexes, triggers and constraints are those that migrations made. */
export async function inspectSchema(session: Session): Promise<readonly Finding[]> {
  const { schema } = session.statements;
  const compared = await compareSchema(session, LIMIT_MS);
  if (compared.type === 'newer') {
    const message = `A newer version of Paymount has applied ${compared.migration}. Run the doctor of that version.`;
    return [{ subject: SUBJECT, verdict: 'warning', message }];
  }
  const { faults } = compared;
  if (faults.length === 0) {
    return [{ subject: SUBJECT, verdict: 'ok', message: 'It fits this version.' }];
  }
  const findings = faults.slice(0, SHOWN).map((fault) => toFinding(fault, schema));
  const rest = faults.length - SHOWN;
  if (rest <= 0) return findings;
  const message = `Other differences: ${rest}. Correct these, and run this again.`;
  return [...findings, { subject: SUBJECT, verdict: 'problem', message }];
}

function toFinding(fault: SchemaFault, schema: string): Finding {
  if (fault.type === 'added') {
    const message = `${capitalized(named(fault.found))} is not from Paymount, and may refuse what it writes: ${fault.found.definition}`;
    return { subject: SUBJECT, verdict: 'warning', message: placed(message, schema) };
  }
  const name = capitalized(named(fault.made));
  const message =
    fault.type === 'missing'
      ? `${name} is missing. ${cureOf(fault.made)}`
      : `${name} is not as the migrations made it. ${describeChange(fault)}`;
  return { subject: SUBJECT, verdict: 'problem', message: placed(message, schema) };
}

function describeChange({ made, found }: SchemaFault & { readonly type: 'changed' }): string {
  if (found === `${made.definition} DISABLED`) {
    return `It is disabled. Run: ALTER TABLE ${SCHEMA_PLACE}.${made.table} ENABLE TRIGGER ${
      made.kind === 'trigger' ? made.name : 'ALL'
    }`;
  }
  if (found === `${made.definition} INVALID`) {
    return made.kind === 'index'
      ? `It is invalid. Run: REINDEX INDEX ${SCHEMA_PLACE}.${made.name}`
      : `It is invalid. Run: REINDEX TABLE ${SCHEMA_PLACE}.${made.table}`;
  }
  if (made.kind === 'function') return 'Restore it from a database of the same version.';
  return `Expected: ${made.definition}; found: ${found}`;
}

/** What cannot lose data by being made again has a statement. */
function cureOf({ kind, table, name, definition }: SchemaObject): string {
  if (kind === 'index' || kind === 'trigger') return `Run: ${definition}`;
  if (kind === 'constraint') {
    return `Run: ALTER TABLE ${SCHEMA_PLACE}.${table} ADD CONSTRAINT ${name} ${definition}`;
  }
  return BACKUP;
}

function named({ kind, table, name }: SchemaObject): string {
  if (kind === 'column') return `the column ${table}.${name}`;
  if (kind === 'constraint' || kind === 'trigger') return `the ${kind} ${name} of ${table}`;
  return `the ${kind} ${name}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function placed(text: string, schema: string): string {
  return text.replaceAll(SCHEMA_PLACE, schema);
}
