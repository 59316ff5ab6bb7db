import { z } from 'zod';
import { type Coercion, coercionFor } from '../body/coercion.ts';
import type { ParsedInput } from '../read-body.ts';
import { Lines, PlainText } from '../render-response.ts';
import { Following, type StartFeed } from '../streams/event-stream.ts';
import type { PathValues } from './path-values.ts';
import { validateInput } from './validate-input.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

/** The common declarations of a route, besides the access that it requires. */
export interface RouteFacts {
  /** Its name in generated clients: `createCharge`. It stays if the path changes. */
  readonly operationId: string;
  /** One sentence for the reference. */
  readonly summary: string;
  /** Error statuses besides those that `allErrorStatuses` derives: 402 for routes that charge a card. */
  readonly errorStatuses?: readonly number[];
  readonly response: z.ZodType;
  /** Whether the body is `multipart/form-data` with a file. @defaultValue JSON or a form */
  readonly takesFile?: boolean;
}

/** A request with validated parameters, ready to run. */
export interface Prepared<Caller> {
  /** As parsed, so that a form and the same JSON are equal. */
  readonly parameters: unknown;
  readonly run: (caller: Caller) => Promise<object>;
}

/**
 * One row of a route table.
 * @typeParam Access the requirement of the route for its callers
 * @typeParam Caller the authenticated caller, for its handler
 */
export interface TableRoute<Access extends object, Caller> {
  readonly method: Method;
  /** `/v1/charges/:id/capture` */
  readonly pattern: string;
  readonly facts: RouteFacts & Access;
  /** The parameters of its query (GET) or body. */
  readonly schema: z.ZodObject;
  /**
   * `lines`: one JSON object per line; `events`: new events as they happen; `metrics`: the text
   * that Prometheus reads.
   */
  readonly format: 'object' | 'lines' | 'events' | 'metrics';
  /** @throws PaymountError `parameter_*` */
  prepare(path: PathValues, input: ParsedInput): Prepared<Caller>;
}

interface RouteInput<Caller> {
  readonly call: Caller;
  readonly path: PathValues;
}

type RegisterGet<Access, Caller, Made> = <Query extends z.ZodObject>(
  pattern: string,
  facts: RouteFacts & Access & { readonly query: Query },
  handle: (input: RouteInput<Caller> & { readonly query: z.output<Query> }) => Made,
) => void;

type RegisterWrite<Access, Caller> = <Body extends z.ZodObject>(
  pattern: string,
  facts: RouteFacts & Access & { readonly body: Body },
  handle: (input: RouteInput<Caller> & { readonly body: z.output<Body> }) => Promise<object>,
) => void;

/** The routes under one path; each call adds a row. */
export interface RouteTable<Access extends object, Caller> {
  readonly get: RegisterGet<Access, Caller, Promise<object>>;
  /** Adds a route that answers with one JSON object per line, any number of them. */
  readonly lines: RegisterGet<Access, Caller, AsyncIterable<object>>;
  /** Adds a route that answers with server-sent events, as they happen. */
  readonly events: RegisterGet<Access, Caller, StartFeed>;
  /** Adds a route that answers with the text that Prometheus reads. */
  readonly metrics: RegisterGet<Access, Caller, Promise<string>>;
  readonly post: RegisterWrite<Access, Caller>;
  readonly delete: RegisterWrite<Access, Caller>;
  readonly routes: readonly TableRoute<Access, Caller>[];
}

/** https://prometheus.io/docs/instrumenting/exposition_formats */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The schema of a route without parameters. */
export const Nothing = z.strictObject({});

/** How a route's declaration of access is checked when it is added: mistakes must show at start. */
export interface AccessRules<Access extends object> {
  /** All known members: TypeScript accepts unknown ones where facts are spread. */
  readonly members: Readonly<Record<keyof NoInfer<Access> & string, true>>;
  /** What is missing, as the end of a sentence: `declares no scope`. */
  readonly findFault: (access: Access) => string | undefined;
}

/**
 * Makes the start of the route tables of one API, such as `/v1`.
 * @returns a function that starts a table; its `base` is the prefix of all patterns, such as
 *   `/v1/charges`
 */
export function routeTables<Access extends object, Caller>(
  rules: AccessRules<Access>,
): (base: string) => RouteTable<Access, Caller> {
  return (base) => new Table(base, rules);
}

type Run<Schema extends z.ZodObject, Caller> = (
  call: Caller,
  path: PathValues,
  parameters: z.output<Schema>,
) => Promise<object>;

class Table<Access extends object, Caller> implements RouteTable<Access, Caller> {
  readonly routes: TableRoute<Access, Caller>[] = [];
  readonly #base: string;
  readonly #rules: AccessRules<Access>;

  constructor(base: string, rules: AccessRules<Access>) {
    this.#base = base;
    this.#rules = rules;
  }

  readonly get: RegisterGet<Access, Caller, Promise<object>> = (pattern, facts, handle) => {
    const row = { method: 'GET', pattern, facts, format: 'object' } as const;
    this.#add(row, facts.query, (call, path, query) => handle({ call, path, query }));
  };

  readonly lines: RegisterGet<Access, Caller, AsyncIterable<object>> = (pattern, facts, handle) => {
    const row = { method: 'GET', pattern, facts, format: 'lines' } as const;
    this.#add(row, facts.query, async (call, path, query) => {
      return new Lines(handle({ call, path, query }));
    });
  };

  readonly events: RegisterGet<Access, Caller, StartFeed> = (pattern, facts, handle) => {
    const row = { method: 'GET', pattern, facts, format: 'events' } as const;
    this.#add(row, facts.query, async (call, path, query) => {
      return new Following(handle({ call, path, query }));
    });
  };

  readonly metrics: RegisterGet<Access, Caller, Promise<string>> = (pattern, facts, handle) => {
    const row = { method: 'GET', pattern, facts, format: 'metrics' } as const;
    this.#add(row, facts.query, async (call, path, query) => {
      return new PlainText(await handle({ call, path, query }), METRICS_TYPE);
    });
  };

  readonly post: RegisterWrite<Access, Caller> = (pattern, facts, handle) => {
    const row = { method: 'POST', pattern, facts, format: 'object' } as const;
    this.#add(row, facts.body, (call, path, body) => handle({ call, path, body }));
  };

  readonly delete: RegisterWrite<Access, Caller> = (pattern, facts, handle) => {
    const row = { method: 'DELETE', pattern, facts, format: 'object' } as const;
    this.#add(row, facts.body, (call, path, body) => handle({ call, path, body }));
  };

  #add<Schema extends z.ZodObject>(
    row: Pick<TableRoute<Access, Caller>, 'method' | 'pattern' | 'facts' | 'format'>,
    schema: Schema,
    run: Run<Schema, Caller>,
  ): void {
    const pattern = this.#base + row.pattern;
    assertDeclaration(`${row.method} ${pattern}`, row.facts, schema, this.#rules);
    const coerce = coercionFor(schema);
    this.routes.push({
      ...row,
      pattern,
      schema,
      prepare(path, input) {
        const parameters = parse(schema, coerce, input);
        return { parameters, run: (call) => run(call, path, parameters) };
      },
    });
  }
}

const COMMON_FACTS = [
  'operationId',
  'summary',
  'errorStatuses',
  'response',
  'takesFile',
  'query',
  'body',
] as const;

function assertDeclaration<Access extends object>(
  name: string,
  facts: Access,
  schema: z.ZodObject,
  { members, findFault }: AccessRules<Access>,
): void {
  const known = [...COMMON_FACTS, ...Object.keys(members)];
  const unknown = Object.keys(facts).find((member) => !known.includes(member));
  if (unknown !== undefined) {
    throw new Error(`${name} declares "${unknown}"; a route has only ${known.join(', ')}.`);
  }
  const fault = findFault(facts);
  if (fault !== undefined) throw new Error(`${name} ${fault}.`);
  if (!(schema.def.catchall instanceof z.ZodNever)) {
    throw new Error(`${name} takes unknown parameters; declare them with z.strictObject.`);
  }
}

function parse<Schema extends z.ZodObject>(
  schema: Schema,
  coerce: Coercion,
  { tree, format }: ParsedInput,
): z.output<Schema> {
  return validateInput(schema, format === 'form' ? coerce(tree, []) : tree);
}
