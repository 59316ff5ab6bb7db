import { ask } from '../support/ask.ts';

/** What the published OpenAPI document says of a route. */
export interface DocumentedRoute {
  readonly parameters: readonly Parameter[];
  /** The statuses of its responses. */
  readonly statuses: readonly number[];
}

/** One parameter of a route, nested ones included. */
export interface Parameter {
  /** As it is written in a form: `card[token]`, `expand[]`. */
  readonly name: string;
  /** Whether any text will do: no enumeration, no fixed format. */
  readonly isText: boolean;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly parameters?: readonly { in: string; name: string; schema: Schema }[];
  readonly requestBody?: { content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/**
 * What a document says of its routes, by their names: `POST /v1/charges/{id}`.
 * @param documentUrl where the document is served: `<mount>/v1/openapi.json`
 */
export async function documentedRoutes(
  documentUrl: string,
): Promise<ReadonlyMap<string, DocumentedRoute>> {
  const document = await documentAt(documentUrl);
  const routes = Object.entries(document.paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([verb, operation]): [string, DocumentedRoute] => [
      `${verb.toUpperCase()} ${pattern}`,
      {
        parameters: listParameters(document, operation),
        statuses: Object.keys(operation.responses).map(Number),
      },
    ]),
  );
  return new Map(routes);
}

/** Every name of a parameter in a document, nested ones included. */
export async function parameterNames(documentUrl: string): Promise<readonly string[]> {
  const names = new Set(['metadata', 'expand']);
  collectNames(await documentAt(documentUrl), names);
  return [...names];
}

async function documentAt(url: string): Promise<Document> {
  const { json, status } = await ask(url, { key: '' });
  if (status !== 200) throw new Error(`${url} serves no document: ${status}.`);
  return json as unknown as Document;
}

function listParameters(document: Document, operation: Operation): readonly Parameter[] {
  const found = new Map<string, Parameter>();
  const walk = (schema: Schema, name: string): void => {
    if (schema.$ref !== undefined) {
      walk(resolved(document, schema), name);
      return;
    }
    for (const option of schema.anyOf ?? []) walk(option, name);
    const isFree = !schema.enum && !('const' in schema) && schema.format === undefined;
    const isText = schema.type === 'string' && isFree;
    if (name !== '') found.set(name, { name, isText: isText || found.get(name)?.isText === true });
    if (schema.items) walk(schema.items, `${name}[]`);
    for (const [member, child] of Object.entries(schema.properties ?? {})) {
      walk(child, name === '' ? member : `${name}[${member}]`);
    }
  };
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in === 'query') walk(parameter.schema, parameter.name);
  }
  const body = findBody(operation);
  if (body !== undefined) walk(body, '');
  return [...found.values()];
}

function findBody({ requestBody }: Operation): Schema | undefined {
  return requestBody?.content['application/json']?.schema;
}

function resolved(document: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const target = schema.$ref.slice('#/components/schemas/'.length);
  return document.components?.schemas?.[target] ?? {};
}

function collectNames(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) names.add(name);
    if (key === 'name' && typeof value === 'string') names.add(value);
    collectNames(value, names);
  }
}
