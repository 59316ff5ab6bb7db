import { ask } from '../http/ask.ts';

/** One route as the published OpenAPI document describes it. */
export interface DocumentedRoute {
  /** `POST /v1/charges/{id}/capture` */
  readonly name: string;
  readonly method: string;
  /** With ids of the right shape that name nothing. */
  readonly path: string;
  /** What the document says that it demands. */
  readonly access: string;
  /** Where its parameters stand in a request. */
  readonly place: 'query' | 'body';
  readonly parameters: readonly Parameter[];
  /** With which it may answer. */
  readonly statuses: readonly number[];
  /** Whether it refuses a request that says nothing. */
  readonly demandsInput: boolean;
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
  readonly required?: readonly string[];
}

interface Operation {
  readonly description: string;
  readonly parameters?: readonly { in: string; name: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Ids of the right form that name nothing, by the collection they would be in. */
const UNKNOWN_IDS: Readonly<Record<string, string>> = {
  charges: 'ch_00000000000000000000000000',
  refunds: 're_00000000000000000000000000',
  payment_methods: 'pm_00000000000000000000000000',
  tokens: 'tok_00000000000000000000000000',
  balance_transactions: 'txn_00000000000000000000000000',
  webhook_endpoints: 'we_00000000000000000000000000',
  events: 'evt_00000000000000000000000000',
  api_keys: 'key_00000000000000000000000000',
};

/**
 * Every route of a document, so that a new one is tested without a word here.
 * @param documentUrl where the document is served: `<mount>/v1/openapi.json`
 */
export async function documentedRoutes(documentUrl: string): Promise<readonly DocumentedRoute[]> {
  const document = await documentAt(documentUrl);
  return Object.entries(document.paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return {
        name: `${method} ${pattern}`,
        method,
        path: withIds(pattern),
        access: operation.description,
        place: method === 'GET' ? ('query' as const) : ('body' as const),
        parameters: parametersOf(document, operation),
        statuses: Object.keys(operation.responses).map(Number),
        demandsInput: demandsInput(document, operation),
      };
    }),
  );
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

function withIds(pattern: string): string {
  let collection = '';
  return pattern
    .split('/')
    .map((segment) => {
      if (segment.startsWith('{')) return UNKNOWN_IDS[collection] ?? 'x';
      collection = segment;
      return segment;
    })
    .join('/');
}

function parametersOf(document: Document, operation: Operation): readonly Parameter[] {
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
  const body = bodyOf(operation);
  if (body !== undefined) walk(body, '');
  return [...found.values()];
}

function demandsInput(document: Document, operation: Operation): boolean {
  const { required = [] } = resolved(document, bodyOf(operation) ?? {});
  const inQuery = (operation.parameters ?? []).some(
    (parameter) => parameter.in === 'query' && parameter.required === true,
  );
  return required.length > 0 || inQuery;
}

function bodyOf({ requestBody }: Operation): Schema | undefined {
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
