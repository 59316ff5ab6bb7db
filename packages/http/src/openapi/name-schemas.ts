import { type Document, type Place, pascal, refTo, replaceSchemas, type Schema } from './schema.ts';

/**
 * Gives each object and each enumeration a name, once: generated clients have one type for what is
 * one thing. What stands in a schema that has a name is called by that and its own property:
 * `ChargeStatus`. The same set of values under the same property keeps the first name.
 */
export function nameSchemas(document: Document): void {
  const names = new Names(document.components.schemas);
  replaceSchemas(document, (schema, name, place) =>
    place === undefined ? names.within(schema, name) : names.of(schema, place),
  );
}

class Names {
  readonly #schemas: Record<string, Schema>;
  readonly #known = new Map<string, string>();

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas;
    for (const [name, schema] of Object.entries(schemas)) {
      if (schema.enum !== undefined) this.#known.set(serializeContent(schema), name);
    }
  }

  /** The schema, in which all that stands inside has a name. */
  within(schema: Schema, hint: string, property = hint): Schema {
    const { items, properties, additionalProperties, anyOf, oneOf } = schema;
    const next = { ...schema };
    if (items !== undefined) next.items = this.of(items, { hint: singular(hint), property });
    if (properties !== undefined) {
      const named = Object.entries(properties).map(([name, member]) => {
        return [name, this.of(member, { hint: hint + pascal(name), property: name })] as const;
      });
      next.properties = Object.fromEntries(named);
    }
    if (typeof additionalProperties === 'object')
      next.additionalProperties = this.of(additionalProperties, { hint, property });
    if (anyOf !== undefined) next.anyOf = anyOf.map((each) => this.of(each, { hint, property }));
    if (oneOf !== undefined) next.oneOf = oneOf.map((each) => this.of(each, { hint, property }));
    return next;
  }

  /** A reference to the schema when it is an object or an enumeration, else the schema itself. */
  of(schema: Schema, { hint, property }: Place): Schema {
    const inside = this.within(schema, hint, property);
    if (inside.enum === undefined && inside.properties === undefined) return inside;
    const { description, ...content } = inside;
    const name = this.#nameFor(content, { hint, property });
    return { $ref: refTo(name), ...(description === undefined ? {} : { description }) };
  }

  #nameFor(content: Schema, { hint, property }: Place): string {
    const text = serializeContent(content);
    const known = this.#known.get(text) ?? this.#known.get(property + text);
    if (known !== undefined) return known;
    if (Object.hasOwn(this.#schemas, hint)) throw new Error(`Two schemas are called ${hint}.`);
    this.#schemas[hint] = content;
    this.#known.set(property + text, hint);
    return hint;
  }
}

function serializeContent({ description, ...content }: Schema): string {
  return JSON.stringify(content);
}

/** `FeeDetails` as `FeeDetail`, `Addresses` as `Address`. */
function singular(name: string): string {
  return name.replace(/(?:(ss)es|s)$/, '$1');
}
