import type { Document as HttpDocument } from '@paymount/http';

interface Schema {
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
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

interface Operation {
  readonly operationId: string;
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
export function apiPage(given: HttpDocument, introduction: string): string {
  return new Page(given as unknown as Document).text(introduction);
}

/** What an answer is made of, where it is not one object. */
const FORMATS: Readonly<Record<string, string>> = {
  'application/x-ndjson': 'lines of newline-delimited JSON, each ',
  'text/event-stream': 'server-sent events, the data of each ',
};

/** What callers send: it stands with its route. */
const SENT =
  /(?:Create|Update|Capture|Rotate|RotateSecret|Report|Verify|Settle|Dismiss|Input|Filter|Card|Head|Expansion)$/;
const ALSO_SHOWN = ['Card', 'AuditVerdictHead', 'ReplayCreatedFilter'];

class Page {
  readonly #document: Document;
  readonly #schemas: Document['components']['schemas'];

  constructor(document: Document) {
    this.#document = document;
    this.#schemas = document.components.schemas;
  }

  text(introduction: string): string {
    const groups = new Map<string, string[]>();
    for (const [path, item] of Object.entries(this.#document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const tag = operation.tags[0] ?? '';
        const group = groups.get(tag) ?? [];
        groups.set(tag, [...group, this.#operation(method, path, operation)]);
      }
    }
    const routes = [...groups].map(([tag, texts]) => `## ${headline(tag)}\n\n${texts.join('\n')}`);
    const objects = Object.keys(this.#schemas)
      .filter((name) => this.#isShown(name))
      .sort()
      .map((name) => `### ${name}\n\n${this.#fieldTable(this.#schemas[name] ?? {})}`);
    return `${introduction}\n${routes.join('\n')}\n## Objects\n\n${objects.join('\n')}`;
  }

  /** Whether it has a table of its own; others are described where they are used. */
  #isShown(name: string): boolean {
    if (ALSO_SHOWN.includes(name)) return true;
    const { properties, oneOf } = this.#schemas[name] ?? {};
    const isObject = properties !== undefined || oneOf !== undefined;
    return isObject && !SENT.test(name) && !/List$|^Error|EventData$/.test(name);
  }

  #operation(method: string, path: string, operation: Operation): string {
    const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
    const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const rows = [
      ...query.map(({ name, schema, required }) => this.#row(name, schema, required === true)),
      ...this.#toRows(body && this.#resolved(body)),
    ].filter((text) => !text.startsWith('| `expand` |'));
    const [[format = '', answer] = []] = Object.entries(operation.responses['200']?.content ?? {});
    const lines = FORMATS[format] ?? '';
    return [
      `### ${method.toUpperCase()} ${path.replace('{id}', ':id')}`,
      `${operation.summary} (\`${operation.operationId}\`). ${operation.description} Answers ${lines}${this.#describeType(answer?.schema ?? {})}.`,
      ...(rows.length === 0 ? [] : [table('Parameter', rows)]),
    ]
      .join('\n\n')
      .concat('\n');
  }

  #fieldTable(schema: Schema): string {
    if (schema.oneOf !== undefined) {
      return `One of ${schema.oneOf.map((option) => this.#describeType(option)).join(', ')}: \`type\` tells which.\n`;
    }
    return `${table('Field', this.#toRows(schema, true))}\n`;
  }

  #toRows(schema: Schema | undefined, isAnswer = false): string[] {
    return Object.entries(schema?.properties ?? {}).map(([name, member]) =>
      this.#row(name, member, !isAnswer && schema?.required?.includes(name) === true),
    );
  }

  #row(name: string, schema: Schema, isRequired: boolean): string {
    const said = schema.description ?? this.#resolved(schema).description ?? '';
    const notes = [isRequired ? 'Required.' : '', said];
    const text = notes.filter((note) => note !== '').join(' ');
    return `| \`${name}\` | ${this.#describeType(schema)} | ${text} |`.replace('|  |', '| |');
  }

  #describeType(schema: Schema): string {
    if (schema.$ref !== undefined) return this.#referenceTo(schemaName(schema.$ref));
    if (schema.const === '') return 'empty to unset';
    if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
    if (schema.enum !== undefined)
      return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
    if (schema.anyOf !== undefined)
      return [...new Set(schema.anyOf.map((option) => this.#describeType(option)))].join(' or ');
    if (schema.type === 'array') return `array of ${this.#describeType(schema.items ?? {})}`;
    if (schema.type === 'object') return this.#objectType(schema);
    return `${[schema.type ?? 'any'].flat().join(' or ')}${toBounds(schema)}`;
  }

  #objectType({ properties, additionalProperties }: Schema): string {
    if (properties !== undefined) {
      const members = Object.entries(properties).map(([name, member]) => {
        const type = this.#describeType(member);
        return type === 'string' || type === 'integer' ? `\`${name}\`` : `\`${name}\` (${type})`;
      });
      return `object of ${members.join(', ') || 'nothing'}`;
    }
    return typeof additionalProperties === 'object'
      ? `map of ${this.#describeType(additionalProperties)}`
      : 'object';
  }

  #referenceTo(name: string): string {
    if (name === 'CreatedFilter') return 'time';
    if (name.endsWith('List')) {
      const item = name.slice(0, -'List'.length);
      return `a list of [${item}](#${item.toLowerCase()})`;
    }
    if (this.#isShown(name)) return `[${name}](#${name.toLowerCase()})`;
    return this.#describeType(this.#schemas[name] ?? {});
  }

  #resolved(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.#schemas[schemaName(schema.$ref)] ?? {});
  }
}

function table(first: string, rows: readonly string[]): string {
  return [`| ${first} | Type | |`, '|---|---|---|', ...rows].join('\n');
}

function toBounds({ minimum, maximum }: Schema): string {
  if (minimum === undefined && maximum === undefined) return '';
  if (maximum !== undefined && maximum > 1e9) return '';
  return ` ${minimum ?? ''}-${maximum ?? ''}`;
}

function schemaName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function headline(tag: string): string {
  const text = tag.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
