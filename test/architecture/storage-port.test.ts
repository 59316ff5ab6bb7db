import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { ROOT } from '../support/planted-tree.ts';

/** The names that a file imports from, or exports of, a package and its subpaths. */
function namesFrom(file: string, specifier: string): string[] {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023);
  return tree.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    const from = statement.moduleSpecifier;
    if (!from || !ts.isStringLiteral(from) || !from.text.startsWith(specifier)) return [];
    const named = isImport ? statement.importClause?.namedBindings : statement.exportClause;
    if (!named || ts.isNamespaceImport(named) || ts.isNamespaceExport(named)) return [];
    return named.elements.map((element) => (element.propertyName ?? element.name).text);
  });
}

function listSources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(ROOT, folder, name));
}

describe('paymount/storage', () => {
  it('exports everything that the adapter for PostgreSQL takes from the core', () => {
    const needed = listSources('packages/storage-postgres/src').flatMap((file) =>
      namesFrom(file, '@paymount/core'),
    );
    const given = namesFrom(join(ROOT, 'packages/paymount/src/storage.ts'), '@paymount/core');
    expect(new Set(needed)).to.have.property('size').greaterThan(100);
    expect(given).to.include.members([...new Set(needed)]);
  });
});
