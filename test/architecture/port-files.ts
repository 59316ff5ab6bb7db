import { basename, dirname } from 'node:path';
import ts from 'typescript';
import type { Files } from '../support/planted-tree.ts';

/** How a port is named; docs/decisions/storage-port-with-two-adapters.md says what each word means. */
const PORT = /(?:Reader|Repository|Queue|Directory)$/;
const PORT_FILE = /-repository\.ts$/;
/** The files that join the ports of an area or of all areas, and their interfaces. */
const JOINING_FILE = /(?:^|[-/])(?:storage|stores)\.ts$/;
const JOINING = /(?:Storage|Stores)$/;
/** A process or a host implements them without storage, too. */
const NOT_STORED = new Set(['RetryQueue', 'AccessChangeNotifier', 'DeliveryNotifier', 'FileStore']);

interface Declared {
  readonly name: string;
  readonly file: string;
  readonly hasMethods: boolean;
  /** Names of the types of its properties and of its bases. */
  readonly refersTo: readonly string[];
}

/**
 * Everything in which the source of the core breaks the rule of its ports: each is declared in the one
 * `*-repository.ts` of its folder, and named for what it does.
 * @param files name and text of each file of the core
 * @returns sentences, in order of the files; empty if nothing breaks the rule
 */
export function portFaults(files: Files): readonly string[] {
  const declared = Object.entries(files).flatMap(([file, text]) => interfacesIn(file, text));
  const stored = storedPorts(declared);
  const faults = declared.flatMap((each) => faultOf(each, stored.has(each.name)));
  return [...faults, ...crowdedFolders(Object.keys(files))];
}

function faultOf({ name, file, hasMethods }: Declared, isStored: boolean): readonly string[] {
  if (!hasMethods || NOT_STORED.has(name)) return [];
  if (JOINING_FILE.test(file) && JOINING.test(name)) return [];
  const isPort = PORT.test(name);
  if (!PORT_FILE.test(file)) {
    return isPort || isStored
      ? [`${file}: ${name} is a port of storage, as *-repository.ts has.`]
      : [];
  }
  return isPort ? [] : [`${file}: ${name} is not a Reader, Repository, Queue or Directory.`];
}

function crowdedFolders(files: readonly string[]): readonly string[] {
  const portFiles = files.filter((file) => PORT_FILE.test(file));
  return [...new Set(portFiles.map(dirname))].flatMap((folder) => {
    const inside = portFiles
      .filter((file) => dirname(file) === folder)
      .map((file) => basename(file));
    return inside.length > 1 ? [`${folder} has several port files: ${inside.join(', ')}.`] : [];
  });
}

/** The interfaces with methods that the joining files name, directly or through others. */
function storedPorts(declared: readonly Declared[]): ReadonlySet<string> {
  const byName = new Map(declared.map((each) => [each.name, each]));
  const reached = new Set<string>();
  const visit = (name: string): void => {
    const found = byName.get(name);
    if (!found || reached.has(name)) return;
    reached.add(name);
    found.refersTo.forEach(visit);
  };
  for (const { name, file } of declared) if (JOINING_FILE.test(file)) visit(name);
  return reached;
}

function interfacesIn(file: string, text: string): readonly Declared[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  return tree.statements.filter(ts.isInterfaceDeclaration).map((statement) => ({
    name: statement.name.text,
    file,
    hasMethods: statement.members.some(ts.isMethodSignature),
    refersTo: [
      ...(statement.heritageClauses ?? []).flatMap(typeNames),
      ...statement.members.filter(ts.isPropertySignature).flatMap(typeNames),
    ],
  }));
}

function typeNames(node: ts.Node): readonly string[] {
  const names: string[] = [];
  if (ts.isTypeReferenceNode(node)) names.push(node.typeName.getText());
  if (ts.isExpressionWithTypeArguments(node)) names.push(node.expression.getText());
  ts.forEachChild(node, (child) => void names.push(...typeNames(child)));
  return names;
}
