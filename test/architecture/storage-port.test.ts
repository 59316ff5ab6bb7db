import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { ROOT } from '../support/planted-tree.ts';

const PORT = 'packages/paymount/src/storage.ts';
/** The adapters for PostgreSQL and for PGlite, which runs the same statements. */
const ADAPTERS = [
  ...listSources('packages/storage-postgres/src'),
  'packages/paymount/src/testing/pglite-storage.ts',
];
/** What a host names itself, for the option `storage`. */
const FOR_HOSTS = ['postgresStorage', 'PostgresStorageOptions'];

/** The names that a file imports or exports from modules whose names begin with `specifier`. */
function namesFrom(file: string, specifier: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023);
  return tree.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    const from = statement.moduleSpecifier;
    if (!from || !ts.isStringLiteral(from) || !from.text.startsWith(specifier)) return [];
    const named = isImport ? statement.importClause?.namedBindings : statement.exportClause;
    if (!named || ts.isNamespaceImport(named) || ts.isNamespaceExport(named)) {
      throw new Error(`${file} does not name what it takes from ${from.text}.`);
    }
    return named.elements.map((element) => (element.propertyName ?? element.name).text);
  });
}

function listSources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

describe('paymount/storage', () => {
  it('exports what the two adapters import from the core, and what a host names', () => {
    const imported = ADAPTERS.flatMap((file) => namesFrom(file, '@paymount/core'));
    expect(imported).to.have.property('length').greaterThan(100);
    const expected = [...new Set([...imported, ...FOR_HOSTS])].sort();
    expect(namesFrom(PORT, '').sort()).to.deep.equal(expected);
  });
});
