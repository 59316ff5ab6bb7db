/** What is read of a JSON schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** What is read of an OpenAPI document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

interface Answer {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly description?: string;
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
}

/** What an operation answers with a status; undefined when the document lists no such status. */
export function findContent(
  operation: Operation | undefined,
  status: number,
  { components }: Document,
): Answer['content'] | undefined {
  const answer = operation?.responses[status];
  if (answer === undefined || 'content' in answer) return answer?.content;
  return components.responses[answer.$ref.slice('#/components/responses/'.length)]?.content;
}

/** The first place where a value breaks a schema (the keywords that the documents use). */
export function fault(
  value: unknown,
  schema: Schema,
  document: Document,
  at = 'answer',
): string | undefined {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice('#/components/schemas/'.length);
    return fault(value, document.components.schemas[name] ?? {}, document, `${at}:${name}`);
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) {
    const faults = options.map((option) => fault(value, option, document, at));
    return faults.includes(undefined) ? undefined : faults[0];
  }
  if ('const' in schema && value !== schema.const) return `${at} is not ${String(schema.const)}`;
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `${at} is none of the values`;
  if (schema.type !== undefined && ![schema.type].flat().some((type) => hasType(type, value))) {
    return `${at} is ${typeName(value)}`;
  }
  if (Array.isArray(value)) {
    return firstOf(
      value.map((item, index) => fault(item, schema.items ?? {}, document, `${at}[${index}]`)),
    );
  }
  return typeof value === 'object' && value !== null
    ? membersFault(value, schema, document, at)
    : undefined;
}

function membersFault(
  value: object,
  schema: Schema,
  document: Document,
  at: string,
): string | undefined {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at} lacks ${missing}`;
  return firstOf(
    Object.entries(value).map(([name, member]) => {
      const known = properties[name] ?? (typeof others === 'object' ? others : undefined);
      if (known !== undefined) return fault(member, known, document, `${at}.${name}`);
      return others === false ? `${at} has ${name}` : undefined;
    }),
  );
}

const firstOf = (faults: readonly (string | undefined)[]): string | undefined =>
  faults.find((each) => each !== undefined);

/** Every integer is a number. */
function hasType(type: string, value: unknown): boolean {
  return typeName(value) === type || (type === 'number' && typeof value === 'number');
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
