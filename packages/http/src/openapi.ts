import { CURRENT_API_VERSION, ERROR_CODES } from '@paymount/core';
import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Expandable } from './routing/expand.ts';
import type { Route } from './routing/route.ts';

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

const ExpandInput = z
  .array(z.string())
  .max(20)
  .optional()
  .meta({ description: 'Paths of ids to replace by what they name, at most 4 fields deep.' });

/** The OpenAPI 3.1 document of a route table, from the schemas that judge the requests. */
export function openApiOf(routes: readonly Route[]): oas31.OpenAPIObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.pattern.replace(':id', '{id}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Paymount',
      version: CURRENT_API_VERSION,
      description: 'Payments behind your own address; paths are relative to the mount.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { basic: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The key.' },
        basic: { type: 'http', scheme: 'basic', description: 'The key as user name, no password.' },
      },
    },
  };
  return createDocument(document, { override: ({ jsonSchema }) => simplify(jsonSchema) });
}

/** Leaves out what zod adds and says nothing to a reader: bounds of doubles, long expressions. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { facts, method, pattern } = route;
  const schema = withExpand(route);
  return {
    operationId: operationId(route),
    summary: facts.summary,
    description: `Scope: \`${facts.scope}\`${facts.publishable ? ', or a publishable key' : ''}.`,
    tags: [pattern.split('/')[2] ?? ''],
    requestParams: {
      ...(pattern.includes(':id') ? { path: z.strictObject({ id: z.string() }) } : {}),
      ...(method === 'GET' ? { query: schema } : { header: idempotencyHeader }),
    },
    ...(method === 'POST' ? { requestBody: bodyOf(schema) } : {}),
    responses: {
      '200': {
        description: 'Done.',
        content: { 'application/json': { schema: facts.answers } },
      },
      default: {
        description: 'Refused or failed; `error.code` says why.',
        content: { 'application/json': { schema: ErrorResource } },
      },
    },
  };
}

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

function withExpand({ schema, facts }: Route): z.ZodObject {
  if (isEmpty(facts.expand)) return schema;
  const extended = schema.safeExtend({ expand: ExpandInput });
  const id = schema.meta()?.id;
  return id === undefined ? extended : extended.meta({ id });
}

function isEmpty(expand: Expandable | undefined): boolean {
  return expand === undefined || Object.keys(expand).length === 0;
}

/** `postChargesIdCapture`: stable, unique, usable as a name in generated clients. */
function operationId({ method, pattern }: Route): string {
  const words = pattern.slice('/v1/'.length).split(/[/:_]+/);
  return (
    method.toLowerCase() +
    words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  );
}
