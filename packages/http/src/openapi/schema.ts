/** The parts of a JSON Schema that are read and written here; other keywords are kept. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  description?: string;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  /** Components that replace the id when it is expanded. Not JSON Schema. */
  expandsTo?: string | string[];
}

interface Content {
  readonly [type: string]: { schema?: Schema };
}

export interface Operation {
  operationId: string;
  parameters?: { name: string; schema: Schema; description?: string }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
}

/** The parts of an OpenAPI document that are read and written here. */
export interface Document {
  servers: readonly object[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses?: Record<string, object>;
    securitySchemes?: object;
  };
}

/** The reference to a named schema. */
export function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Every operation, those of webhooks included. */
function listOperations({ paths, webhooks }: Document): readonly Operation[] {
  return [...Object.values(paths), ...Object.values(webhooks ?? {})].flatMap((item) =>
    Object.values(item),
  );
}

/** The position of a schema. */
export interface Place {
  /** Its name if it has none. */
  readonly hint: string;
  /** The property or parameter whose value it describes. */
  readonly property: string;
}

/**
 * Replaces every separate schema: in components, those of bodies last, because they use the names
 * of answers; in parameters and contents.
 * @param replace gets no position for a named schema, otherwise the name to use
 */
export function replaceSchemas(
  document: Document,
  replace: (schema: Schema, name: string, place?: Place) => Schema,
): void {
  const { schemas } = document.components;
  const bodies = new Set(listOperations(document).flatMap(bodyRefs));
  const isBody = (name: string): number => Number(bodies.has(refTo(name)));
  const names = Object.keys(schemas).sort((a, b) => isBody(a) - isBody(b));
  for (const name of names) schemas[name] = replace(schemas[name] ?? {}, name);
  for (const operation of listOperations(document)) {
    const { operationId, parameters = [], requestBody, responses } = operation;
    for (const parameter of parameters) {
      const { name, schema } = parameter;
      const hint = pascal(`${operationId}_${name}`);
      parameter.schema = replace(schema, hint, { hint, property: name });
    }
    const contents = [
      requestBody?.content,
      ...Object.values(responses).map((each) => each.content),
    ];
    for (const media of contents.flatMap((content) => Object.values(content ?? {}))) {
      if (media.schema === undefined) continue;
      const hint = pascal(operationId);
      media.schema = replace(media.schema, hint, { hint, property: hint });
    }
  }
}

function bodyRefs({ requestBody }: Operation): readonly (string | undefined)[] {
  return Object.values(requestBody?.content ?? {}).map(({ schema }) => schema?.$ref);
}

/** `payment_method` as `PaymentMethod`. */
export function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
