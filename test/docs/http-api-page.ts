import { apiDocument, apiRoutes, type Services } from '@paymount/http';

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

/** `docs/reference/http-api.md`: the route table, as the OpenAPI document has it. */
export function httpApiPage(): string {
  // The table is only described here; no route is called.
  const document = apiDocument(apiRoutes({} as Services)) as unknown as Document;
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
  return `${INTRODUCTION}\n${routes.join('\n')}\n## Objects\n\n${objects.join('\n')}`;
}

function isShown(name: string): boolean {
  return !/(?:Create|Update|Capture|Rotate|RotateSecret|List)$/.test(name) && name !== 'Error';
}

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
  const answer = operation.responses['200']?.content['application/json']?.schema ?? {};
  return [
    `### ${method.toUpperCase()} ${path.replace('{id}', ':id')}`,
    `${operation.summary}. ${operation.description} Answers ${typeOf(answer)}.`,
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

const INTRODUCTION = `<!-- Generated from the route table by \`npm run docs\`; do not edit. -->
# HTTP API

Paths are relative to the mount. The same as OpenAPI 3.1: \`GET /v1/openapi.json\`, without a key.

- **Credential**: the key as \`Authorization: Bearer\`, or as the user name of Basic with an empty
  password. A restricted key needs the scope that each route names; write does not imply read.
- **Body**: JSON (\`application/json\`) or a form (\`application/x-www-form-urlencoded\`, with
  \`metadata[order]=1\` and \`enabled_events[]=*\`), in UTF-8, at most 102,400 bytes. Parameters of a
  GET stand in the query. Unknown parameters are refused.
- **Times** in answers are ISO 8601 UTC with milliseconds; inputs take that or unix seconds.
- **Amounts** are integers in the currency's minor unit, 1 to 99,999,999.
- **Lists** are \`{ object: "list", url, has_more, data }\`, newest first; \`limit\` (1-100, 10),
  \`starting_after\` and \`ending_before\` page through them.
- **Idempotency-Key** on POST and DELETE: the same key with the same parameters gets the same answer
  for 24 hours, marked \`Idempotent-Replayed: true\`.
- **Metadata**: at most 50 keys of 40 characters, values of 500; an empty value deletes its key.
- **expand[]**, everywhere: replaces ids by the objects they name, in the fields marked expandable,
  up to 4 fields deep (in lists: \`data.payment_method\`; a charge also has \`refunds\`). The key must
  be allowed to read those too.
- **Errors** have one shape: [errors](errors.md). Every answer has a \`Request-Id\`.
`;
