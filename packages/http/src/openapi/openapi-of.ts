import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { filledPath, pathNamesIn } from '../routing/path-values.ts';
import type { TableRoute } from '../routing/route-table.ts';
import { nameSchemas } from './name-schemas.ts';
import { ErrorResource, refusalResponses, refusalsOf, statusesOf } from './refusals.ts';
import type { Document } from './schema.ts';
import { simplifySchemas } from './simplify-schemas.ts';

/** The library's types know nothing of client certificates (OpenAPI 3.1.0, section 4.8.27). */
type SecurityScheme =
  | NonNullable<NonNullable<ZodOpenApiObject['components']>['securitySchemes']>[string]
  | { readonly type: 'mutualTLS'; readonly description: string };

/** What a document says besides its routes, and how it tells what each of them demands. */
export interface DocumentFrame<Access extends object, Caller> {
  readonly info: ZodOpenApiObject['info'];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** Names of the schemes, each of which opens every route; generators take the first. */
  readonly security: readonly string[];
  /** What all paths begin with, but for the slash: `/v1`, or nothing. */
  readonly base: string;
  /** What a route demands of its caller, as a sentence. */
  readonly accessOf: (access: Access) => string;
  /** What a route takes. @defaultValue its own schema */
  readonly schemaOf?: (route: TableRoute<Access, Caller>) => z.ZodObject;
  /** Statuses with which every route may refuse, beside those that all documents have. */
  readonly refusals?: readonly number[];
  /** What is sent to others, by its name. @defaultValue nothing */
  readonly webhooks?: ZodOpenApiPathsObject;
}

/** What the library makes is written over here, in types that say what is read of it. */
const AnyDocument = z.custom<Document>();

/** Where a document that nobody serves says that the API is. */
const SOMEWHERE = {
  url: '{mount}',
  description: 'Where the host mounted it.',
  variables: { mount: { default: 'https://shop.example/payments' } },
} as const;

/**
 * The OpenAPI 3.1 document of a route table, from the schemas that judge the requests. It says each
 * thing in one way, so that generated clients are good ones (docs/decisions/0058).
 * @throws Error for two routes of one `operationId`
 */
export function openApiOf<Access extends object, Caller>(
  routes: readonly TableRoute<Access, Caller>[],
  frame: DocumentFrame<Access, Caller>,
): Document {
  assertUnique(routes.map(({ facts }) => facts.operationId));
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, frame) };
  }
  const made = createDocument(
    {
      openapi: '3.1.0',
      info: frame.info,
      servers: [SOMEWHERE],
      security: frame.security.map((name) => ({ [name]: [] })),
      paths,
      ...(frame.webhooks && { webhooks: frame.webhooks }),
      components: { schemas: { Error: ErrorResource } },
    },
    { override: ({ jsonSchema }) => simplify(jsonSchema) },
  );
  const document = AnyDocument.parse(JSON.parse(JSON.stringify(made)));
  simplifySchemas(document);
  nameSchemas(document);
  for (const route of routes) {
    const operation = document.paths[pathOf(route)]?.[route.method.toLowerCase()];
    Object.assign(operation?.responses ?? {}, refusalsOf(factsOf(route, frame)));
  }
  const statuses = routes.flatMap((route) => statusesOf(factsOf(route, frame)));
  document.components.responses = refusalResponses(statuses);
  document.components.securitySchemes = frame.securitySchemes;
  return document;
}

function assertUnique(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two routes have the operationId ${twice}.`);
}

function pathOf({ pattern }: { readonly pattern: string }): string {
  return filledPath(pattern, (name) => `{${name}}`);
}

function factsOf<Access extends object, Caller>(
  { method, pattern, facts }: TableRoute<Access, Caller>,
  { refusals = [] }: DocumentFrame<Access, Caller>,
) {
  return { method, pattern, refusals: [...refusals, ...(facts.refusals ?? [])] };
}

/** Leaves out what zod adds and says nothing to a reader: bounds of doubles, long expressions. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
}

function operationOf<Access extends object, Caller>(
  route: TableRoute<Access, Caller>,
  frame: DocumentFrame<Access, Caller>,
): ZodOpenApiOperationObject {
  const { facts, method, pattern } = route;
  const schema = frame.schemaOf?.(route) ?? route.schema;
  const words = pattern.slice(frame.base.length + 1);
  const names = pathNamesIn(pattern);
  return {
    operationId: facts.operationId,
    summary: facts.summary,
    description: frame.accessOf(facts),
    tags: [words.split('/')[0] ?? ''],
    requestParams: {
      ...(names.length === 0 ? {} : { path: pathSchema(names) }),
      ...(method === 'GET' ? { query: schema } : { header: IdempotencyHeader }),
      ...(route.format === 'events' ? { header: LastEventHeader } : {}),
    },
    ...(method === 'POST' ? bodyOf(schema) : {}),
    responses: {
      '200': {
        description: DONE[route.format],
        content: { [CONTENT_TYPES[route.format]]: { schema: facts.answers } },
      },
    },
  };
}

function pathSchema(names: readonly string[]): z.ZodObject {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, z.string().min(1)])));
}

const CONTENT_TYPES = {
  object: 'application/json',
  lines: 'application/x-ndjson',
  events: 'text/event-stream',
  metrics: 'text/plain',
} as const;

const DONE = {
  object: 'Done.',
  lines: 'Done; one such object per line.',
  metrics: 'Done; in the text format of Prometheus.',
  events: 'Server-sent events, until either side ends them; one such object in the data of each.',
} as const;

const LastEventHeader = z.strictObject({
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({ description: 'Go on from five minutes before this event, of the last 30 days.' }),
});

const IdempotencyHeader = z.strictObject({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'The same key and parameters get the same answer for 24 hours.' }),
});

/** JSON alone: of two types generators take the first or refuse, and forms are for people. */
function bodyOf(schema: z.ZodObject): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const members: readonly z.core.$ZodType[] = Object.values(schema.shape);
  if (members.length === 0) return {};
  const required = members.some((member) => member._zod.optin === undefined);
  return { requestBody: { required, content: { 'application/json': { schema } } } };
}
