import { EVENT_TYPES, eventFamily } from '@paymount/core/changes';
import { EVENT_FAMILIES } from '@paymount/core/events';
import { z } from 'zod';

type Node = z.core.JSONSchema.BaseSchema;

/**
 * The types of event objects for receivers, who install no other package: the same that the core's
 * schemas give, written out.
 */
export function eventTypesFile(): string {
  const types = Object.values(EVENT_FAMILIES).map(({ name, schema }) => {
    const root = z.toJSONSchema(schema, { io: 'output', reused: 'inline' });
    return `/** \`data.object\` of its events. */\nexport type ${name} = ${new TypePrinter(root).root()};\n`;
  });
  const members = EVENT_TYPES.map(
    (type) => `  readonly '${type}': ${EVENT_FAMILIES[eventFamily(type)].name};`,
  );
  return [
    "// Generated from the core's schemas by `npm run docs`; do not edit.",
    '// biome-ignore-all format: it is as it was generated',
    ...types,
    '/** What each type of event is about. */',
    'export interface EventObjects {',
    ...members,
    '}',
    '',
  ]
    .join('\n')
    .replaceAll(/ +$/gm, '');
}

/** Prints the part of JSON Schema that resources use. */
class TypePrinter {
  readonly #root: Node;

  constructor(root: Node) {
    this.#root = root;
  }

  root(): string {
    return this.#print(this.#root, '');
  }

  #print(node: Node, indent: string): string {
    const given = this.#resolved(node);
    if (given.anyOf)
      return given.anyOf.map((each) => this.#print(asNode(each), indent)).join(' | ');
    if (given.const !== undefined) return literal(given.const);
    if (given.enum) return given.enum.map((each) => `\n${indent}  | ${literal(each)}`).join('');
    if (Array.isArray(given.type)) {
      return given.type.map((type) => this.#print({ ...given, type }, indent)).join(' | ');
    }
    switch (given.type) {
      case 'object':
        return this.#object(given, indent);
      case 'array':
        return `ReadonlyArray<${this.#print(asNode(given.items), indent)}>`;
      case 'integer':
        return 'number';
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return given.type;
      case undefined:
        break;
    }
    throw new Error(`A resource has a member of another kind: ${JSON.stringify(given)}`);
  }

  #object(node: Node, indent: string): string {
    if (node.properties === undefined) {
      const value = this.#print(asNode(node.additionalProperties), indent);
      return `Readonly<Record<string, ${value}>>`;
    }
    const inner = `${indent}  `;
    const members = Object.entries(node.properties).map(([name, value]) => {
      const optional = node.required?.includes(name) === true ? '' : '?';
      const { description } = asNode(value);
      const comment = description === undefined ? '' : `${inner}/** ${description} */\n`;
      return `${comment}${inner}readonly ${name}${optional}: ${this.#print(asNode(value), inner)};`;
    });
    return `{\n${members.join('\n')}\n${indent}}`;
  }

  #resolved(node: Node): Node {
    const { $ref } = node;
    const name = $ref === undefined ? undefined : /^#\/\$defs\/(.+)$/.exec($ref)?.[1];
    return name === undefined ? node : this.#resolved(asNode(this.#root.$defs?.[name]));
  }
}

function asNode(value: unknown): Node {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Node;
  throw new Error(`This is no schema: ${JSON.stringify(value)}`);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
