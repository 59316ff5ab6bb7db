import type { apiDocument } from '@paymount/http';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, { content: Record<string, { schema: Schema }> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A reference page of routes and objects, as an OpenAPI document has them. */
export function apiPage(given: ReturnType<typeof apiDocument>, introduction: string): string {
  const document = given as unknown as Document;
  const { schemas } = document.components;
  const groups = new Map<string, string[]>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = operation.tags[0] ?? '';
      const group = groups.get(tag) ?? [];
      groups.set(tag, [...group, operationText(method, path, operation, schemas)]);
    }
  }
  const routes = [...groups].map(([tag, texts]) => `## ${headline(tag)}\n\n${texts.join('\n')}`);
  const objects = Object.entries(schemas)
    .filter(([name]) => isShown(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `### ${name}\n\n${fieldTable(schema)}`);
  return `${introduction}\n${routes.join('\n')}\n## Objects\n\n${objects.join('\n')}`;
}

function isShown(name: string): boolean {
  return (
    !/(?:Create|Update|Capture|Rotate|RotateSecret|Report|Verify|List)$/.test(name) &&
    name !== 'Error'
  );
}

/** What an answer is made of, where it is not one object. */
const FORMATS: Readonly<Record<string, string>> = {
  'application/x-ndjson': 'lines of newline-delimited JSON, each ',
  'text/event-stream': 'server-sent events, the data of each ',
};

function operationText(
  method: string,
  path: string,
  operation: Operation,
  schemas: Document['components']['schemas'],
): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const resolved = body?.$ref === undefined ? body : schemas[nameOf(body.$ref)];
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const rows = [
    ...query.map(({ name, schema, required }) => row(name, schema, required === true)),
    ...rowsOf(resolved),
  ].filter((text) => !text.startsWith('| `expand` |'));
  const [[format = '', answer] = []] = Object.entries(operation.responses['200']?.content ?? {});
  const lines = FORMATS[format] ?? '';
  return [
    `### ${method.toUpperCase()} ${path.replace('{id}', ':id')}`,
    `${operation.summary}. ${operation.description} Answers ${lines}${typeOf(answer?.schema ?? {})}.`,
    ...(rows.length === 0 ? [] : [table('Parameter', rows)]),
  ]
    .join('\n\n')
    .concat('\n');
}

function fieldTable(schema: Schema): string {
  return `${table('Field', rowsOf(schema, true))}\n`;
}

function rowsOf(schema: Schema | undefined, isAnswer = false): string[] {
  return Object.entries(schema?.properties ?? {}).map(([name, member]) =>
    row(name, member, !isAnswer && schema?.required?.includes(name) === true),
  );
}

function table(first: string, rows: readonly string[]): string {
  return [`| ${first} | Type | |`, '|---|---|---|', ...rows].join('\n');
}

function row(name: string, schema: Schema, isRequired: boolean): string {
  const notes = [
    isRequired ? 'Required.' : '',
    schema.description ?? '',
    schema.default === undefined ? '' : `Default \`${JSON.stringify(schema.default)}\`.`,
  ];
  const text = notes.filter((note) => note !== '').join(' ');
  const type = schema.anyOf?.[0]?.properties?.['gte'] === undefined ? typeOf(schema) : 'time';
  return `| \`${name}\` | ${type} | ${text} |`.replace('|  |', '| |');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return referenceTo(nameOf(schema.$ref));
  if (schema.const === '') return 'empty to unset';
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`;
  if (schema.type === 'object') return objectType(schema);
  return `${[schema.type ?? 'any'].flat().join(' or ')}${boundsOf(schema)}`;
}

function objectType({ properties, additionalProperties }: Schema): string {
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) => {
      const type = typeOf(member);
      return type === 'string' || type === 'integer' ? `\`${name}\`` : `\`${name}\` (${type})`;
    });
    return `object of ${members.join(', ') || 'nothing'}`;
  }
  return typeof additionalProperties === 'object'
    ? `map of ${typeOf(additionalProperties)}`
    : 'object';
}

function boundsOf({ minimum, maximum }: Schema): string {
  if (minimum === undefined && maximum === undefined) return '';
  if (maximum !== undefined && maximum > 1e9) return '';
  return ` ${minimum ?? ''}-${maximum ?? ''}`;
}

function referenceTo(name: string): string {
  if (name.endsWith('List')) {
    const item = name.slice(0, -'List'.length);
    return `a list of [${item}](#${item.toLowerCase()})`;
  }
  return `[${name}](#${name.toLowerCase()})`;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function headline(tag: string): string {
  const text = tag.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
