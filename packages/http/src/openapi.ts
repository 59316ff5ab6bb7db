import { ERROR_CODES } from '@paymount/core';
import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { TableRoute } from './routing/route-table.ts';

const ErrorResource = z
  .strictObject({
    error: z.looseObject({
      type: z.string(),
      code: z.enum(Object.keys(ERROR_CODES)),
      message: z.string(),
      param: z.string().optional(),
      decline_code: z.string().optional(),
      doc_url: z.string(),
      request_id: z.string(),
    }),
  })
  .meta({ id: 'Error' });

/** The library's types know nothing of client certificates (OpenAPI 3.1.0, section 4.8.27). */
type SecurityScheme =
  | NonNullable<NonNullable<ZodOpenApiObject['components']>['securitySchemes']>[string]
  | { readonly type: 'mutualTLS'; readonly description: string };

/** What a document says besides its routes, and how it tells what each of them demands. */
export interface DocumentFrame<Access extends object, Caller> {
  readonly info: ZodOpenApiObject['info'];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** Names of the schemes, each of which opens every route. */
  readonly security: readonly string[];
  /** What all paths begin with, but for the slash: `/v1`, or nothing. */
  readonly base: string;
  /** What a route demands of its caller, as a sentence. */
  readonly accessOf: (access: Access) => string;
  /** What a route takes. @defaultValue its own schema */
  readonly schemaOf?: (route: TableRoute<Access, Caller>) => z.ZodObject;
}

/** The OpenAPI 3.1 document of a route table, from the schemas that judge the requests. */
export function openApiOf<Access extends object, Caller>(
  routes: readonly TableRoute<Access, Caller>[],
  frame: DocumentFrame<Access, Caller>,
): oas31.OpenAPIObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.pattern.replace(':id', '{id}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, frame) };
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: frame.info,
    servers: [{ url: '/' }],
    security: frame.security.map((name) => ({ [name]: [] })),
    paths,
  };
  const made = createDocument(document, { override: ({ jsonSchema }) => simplify(jsonSchema) });
  const { securitySchemes } = frame;
  return Object.assign(made, { components: { ...made.components, securitySchemes } });
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
  return {
    operationId: operationId(method, words),
    summary: facts.summary,
    description: frame.accessOf(facts),
    tags: [words.split('/')[0] ?? ''],
    requestParams: {
      ...(pattern.includes(':id') ? { path: z.strictObject({ id: z.string() }) } : {}),
      ...(method === 'GET' ? { query: schema } : { header: idempotencyHeader }),
      ...(route.format === 'events' ? { header: lastEventHeader } : {}),
    },
    ...(method === 'POST' ? { requestBody: bodyOf(schema) } : {}),
    responses: {
      '200': {
        description: DONE[route.format],
        content: { [CONTENT_TYPES[route.format]]: { schema: facts.answers } },
      },
      default: {
        description: 'Refused or failed; `error.code` says why.',
        content: { 'application/json': { schema: ErrorResource } },
      },
    },
  };
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

const lastEventHeader = z.strictObject({
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({ description: 'Go on from five minutes before this event, of the last 30 days.' }),
});

const idempotencyHeader = z.strictObject({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'The same key and parameters get the same answer for 24 hours.' }),
});

function bodyOf(schema: z.ZodObject): NonNullable<ZodOpenApiOperationObject['requestBody']> {
  return {
    content: {
      'application/x-www-form-urlencoded': { schema },
      'application/json': { schema },
    },
  };
}

/** `postChargesIdCapture`: stable, unique, usable as a name in generated clients. */
function operationId(method: string, path: string): string {
  const words = path.split(/[/:_]+/);
  return (
    method.toLowerCase() +
    words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  );
}
