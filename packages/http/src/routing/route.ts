import type { RouteAccess } from '@paymount/auth';
import { type Call, type Principal, SCOPES } from '@paymount/core';
import { z } from 'zod';
import { type Coercion, coercionFor } from '../body/coercion.ts';
import type { Sent } from '../read-body.ts';
import { type Expandable, type Expansion, readExpansion } from './expand.ts';
import { judgeInput } from './judge-input.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

const ACCESSES: readonly unknown[] = [...SCOPES, 'secret_key'];

/** What every route declares: who may use it, what it answers. */
export interface RouteFacts extends RouteAccess {
  /** One sentence for the reference. */
  readonly summary: string;
  readonly answers: z.ZodType;
  /** What `expand[]` may name. @defaultValue nothing */
  readonly expand?: Expandable;
}

/** The variable parts of a path; ids are raw, services answer for those that name nothing. */
export interface PathValues {
  /** Empty for patterns without `:id`. */
  readonly id: string;
}

/** A request whose parameters were judged, ready to run. */
export interface Prepared {
  /** As parsed, `expand` included, so that a form and the same JSON are equal. */
  readonly parameters: unknown;
  readonly expansion: Expansion | undefined;
  readonly run: (call: Call) => Promise<object>;
}

export interface Route {
  readonly method: Method;
  /** `/v1/charges/:id/capture` */
  readonly pattern: string;
  readonly facts: RouteFacts;
  /** What it takes in the query (GET) or the body. */
  readonly schema: z.ZodObject;
  /** @throws PaymountError `parameter_*`, `expand_invalid`, `insufficient_scope` of an expansion */
  prepare(path: PathValues, sent: Sent, principal: Principal): Prepared;
}

type RegisterGet = <Query extends z.ZodObject>(
  pattern: string,
  facts: RouteFacts & { readonly query: Query },
  handle: (input: {
    readonly call: Call;
    readonly path: PathValues;
    readonly query: z.output<Query>;
  }) => Promise<object>,
) => void;

type RegisterWrite = <Body extends z.ZodObject>(
  pattern: string,
  facts: RouteFacts & { readonly body: Body },
  handle: (input: {
    readonly call: Call;
    readonly path: PathValues;
    readonly body: z.output<Body>;
  }) => Promise<object>,
) => void;

/** The routes under one path; each call adds a row. */
export interface RouteTable {
  readonly get: RegisterGet;
  readonly post: RegisterWrite;
  readonly delete: RegisterWrite;
  readonly routes: readonly Route[];
}

/** The schema of a route without parameters. */
export const Nothing = z.strictObject({});

/**
 * Starts a route table.
 * @param base the path that all patterns continue, such as `/v1/charges`
 * @throws Error (on adding a route) when it declares no scope or takes unknown parameters: such a
 *   mistake must show at start
 */
export function routesUnder(base: string): RouteTable {
  const routes: Route[] = [];
  const write =
    (method: 'POST' | 'DELETE'): RegisterWrite =>
    (pattern, facts, handle) => {
      const run: Run<typeof facts.body> = (call, path, body) => handle({ call, path, body });
      routes.push(routeOf({ method, pattern: base + pattern, facts }, facts.body, run));
    };
  return {
    routes,
    get(pattern, facts, handle) {
      const run: Run<typeof facts.query> = (call, path, query) => handle({ call, path, query });
      routes.push(routeOf({ method: 'GET', pattern: base + pattern, facts }, facts.query, run));
    },
    post: write('POST'),
    delete: write('DELETE'),
  };
}

type Run<Schema extends z.ZodObject> = (
  call: Call,
  path: PathValues,
  parameters: z.output<Schema>,
) => Promise<object>;

function routeOf<Schema extends z.ZodObject>(
  row: Pick<Route, 'method' | 'pattern' | 'facts'>,
  schema: Schema,
  run: Run<Schema>,
): Route {
  const { facts } = row;
  judgeDeclaration(`${row.method} ${row.pattern}`, facts.scope, schema);
  const coerce = coercionFor(schema);
  return {
    ...row,
    schema,
    prepare(path, sent, principal) {
      const { expansion, expand, tree } = readExpansion(sent.tree, facts.expand, principal);
      const parameters = parse(schema, coerce, { tree, format: sent.format });
      return {
        parameters: expansion === undefined ? parameters : { parameters, expand },
        expansion,
        run: (call) => run(call, path, parameters),
      };
    },
  };
}

function judgeDeclaration(name: string, scope: unknown, schema: z.ZodObject): void {
  if (!ACCESSES.includes(scope)) {
    throw new Error(`${name} declares no scope; give it one of ${ACCESSES.join(', ')}.`);
  }
  if (!(schema.def.catchall instanceof z.ZodNever)) {
    throw new Error(`${name} takes unknown parameters; declare them with z.strictObject.`);
  }
}

function parse<Schema extends z.ZodObject>(
  schema: Schema,
  coerce: Coercion,
  { tree, format }: Sent,
): z.output<Schema> {
  return judgeInput(schema, format === 'form' ? coerce(tree, []) : tree);
}
