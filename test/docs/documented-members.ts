import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** One member of an interface, as its declaration and comment say. */
export interface DocumentedMember {
  readonly name: string;
  /** Of a method: its parameters and what it answers. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  readonly defaultValue: string;
}

const ROOT = new URL('../../', import.meta.url);

/** The members of the interface of that name, wherever it is among `files`. */
export function listMembers(
  files: readonly string[],
  interfaceName: string,
): readonly DocumentedMember[] {
  for (const file of files) {
    const text = readFileSync(new URL(file, ROOT), 'utf8');
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
    const found = tree.statements.find(
      (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === interfaceName,
    );
    if (found && ts.isInterfaceDeclaration(found)) return found.members.flatMap(documented);
  }
  throw new Error(`No interface ${interfaceName} is declared in ${files.join(', ')}.`);
}

function documented(member: ts.TypeElement): readonly DocumentedMember[] {
  if (!ts.isPropertySignature(member) && !ts.isMethodSignature(member)) return [];
  return [
    {
      name: member.name.getText(),
      type: describeType(member).replaceAll(/\s+/g, ' '),
      required: member.questionToken === undefined,
      description: readComment(member),
      defaultValue: readTag(member, 'defaultValue'),
    },
  ];
}

function describeType(member: ts.PropertySignature | ts.MethodSignature): string {
  const type = member.type?.getText() ?? '';
  if (!ts.isMethodSignature(member)) return type;
  return `(${member.parameters.map((each) => each.getText()).join(', ')}) => ${type}`;
}

function readComment(member: ts.TypeElement): string {
  const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  return oneLine(ts.getTextOfJSDocComment(comment?.comment));
}

function readTag(member: ts.TypeElement, name: string): string {
  const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === name);
  return oneLine(ts.getTextOfJSDocComment(tag?.comment)) || 'none';
}

function oneLine(text = ''): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}
