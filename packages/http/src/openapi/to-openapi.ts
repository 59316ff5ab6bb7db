import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { filledPath, pathNamesIn } from '../routing/path-values.ts';
import type { RouteFacts, TableRoute } from '../routing/route-table.ts';
import {
  allErrorStatuses,
  buildErrorResponses,
  ErrorResource,
  toErrorResponses,
} from './error-responses.ts';
import { nameSchemas } from './name-schemas.ts';
import type { Document } from './schema.ts';
import { simplifySchemas } from './simplify-schemas.ts';

/** The library's types lack client certificates (OpenAPI 3.1.0, section 4.8.27). */
type SecurityScheme =
  | NonNullable<NonNullable<ZodOpenApiObject['components']>['securitySchemes']>[string]
  | { readonly type: 'mutualTLS'; readonly description: string };

/** The contents of a document besides its routes, and how it describes their requirements. */
export interface DocumentFrame<Access extends object, Caller> {
  readonly info: ZodOpenApiObject['info'];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** Names of the schemes, each of which gives access to every route; generators use the first. */
  readonly security: readonly string[];
  /** The common prefix of all paths without the slash: `/v1`, or nothing. */
  readonly base: string;
  /** The requirements of a route, as a sentence. */
  readonly describeAccess: (access: Access) => string;
  /** The parameters of a route. @defaultValue its own schema */
  readonly schemaFor?: (route: TableRoute<Access, Caller>) => z.ZodObject;
  /** Error statuses of every route, besides those that all documents have. */
  readonly errorStatuses?: readonly number[];
  /** The webhooks, by name. @defaultValue none */
  readonly webhooks?: ZodOpenApiPathsObject;
}

/** The library's document is converted here to types that say what is read of it. */
const AnyDocument = z.custom<Document>();

/** The server's description in a document that is not served by a mount. */
const SERVER_TEMPLATE = {
  url: '{mount}',
  description: 'The path where the host mounted it.',
  variables: { mount: { default: 'https://shop.example/payments' } },
} as const;

/**
 * The OpenAPI 3.1 document of a route table, from the schemas that validate the requests. It
 * describes each thing in only one form, for good generated clients; see
 * docs/decisions/api-openapi-for-generators.md.
 * @throws Error for two routes with one `operationId`
 */
export function toOpenApi<Access extends object, Caller>(
  routes: readonly TableRoute<Access, Caller>[],
  frame: DocumentFrame<Access, Caller>,
): Document {
  assertUnique(routes.map(({ facts }) => facts.operationId));
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = toOpenApiPath(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route, frame) };
  }
  const made = createDocument(
    {
      openapi: '3.1.0',
      info: frame.info,
      servers: [SERVER_TEMPLATE],
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
    const operation = document.paths[toOpenApiPath(route)]?.[route.method.toLowerCase()];
    Object.assign(operation?.responses ?? {}, toErrorResponses(toFacts(route, frame)));
  }
  const statuses = routes.flatMap((route) => allErrorStatuses(toFacts(route, frame)));
  document.components.responses = buildErrorResponses(statuses);
  document.components.securitySchemes = frame.securitySchemes;
  return document;
}

function assertUnique(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two routes have the operationId ${twice}.`);
}

function toOpenApiPath({ pattern }: { readonly pattern: string }): string {
  return filledPath(pattern, (name) => `{${name}}`);
}

function toFacts<Access extends object, Caller>(
  { method, pattern, facts }: TableRoute<Access, Caller>,
  { errorStatuses = [] }: DocumentFrame<Access, Caller>,
) {
  return { method, pattern, errorStatuses: [...errorStatuses, ...(facts.errorStatuses ?? [])] };
}

/** Removes what zod adds and readers do not need: limits of doubles, long expressions. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
}

function toOperation<Access extends object, Caller>(
  route: TableRoute<Access, Caller>,
  frame: DocumentFrame<Access, Caller>,
): ZodOpenApiOperationObject {
  const { facts, method, pattern } = route;
  const schema = frame.schemaFor?.(route) ?? route.schema;
  const words = pattern.slice(frame.base.length + 1);
  const names = pathNamesIn(pattern);
  return {
    operationId: facts.operationId,
    summary: facts.summary,
    description: frame.describeAccess(facts),
    tags: [words.split('/')[0] ?? ''],
    requestParams: {
      ...(names.length === 0 ? {} : { path: pathSchema(names) }),
      ...(method === 'GET' ? { query: schema } : {}),
      ...(method === 'DELETE' ? { query: toQuery(schema) } : {}),
      ...(method === 'GET' ? {} : { header: IdempotencyHeader }),
      ...(route.format === 'events' ? { header: LastEventHeader } : {}),
    },
    ...(method === 'POST' ? toRequestBody(schema, facts) : {}),
    responses: {
      '200': {
        description: DONE[route.format],
        content: { [CONTENT_TYPES[route.format]]: { schema: facts.response } },
      },
    },
  };
}

/**
 * The parameters of a DELETE, as its query takes them. It takes them in a body too, but a document should not say
 * so: such a body has no defined meaning (RFC 9110, 9.3.5).
 */
function toQuery({ shape }: z.ZodObject): z.ZodObject {
  const members = Object.entries(shape).map(([name, member]) => {
    const inner = member instanceof z.ZodOptional ? member.unwrap() : undefined;
    if (!(inner instanceof z.ZodObject)) return [name, member] as const;
    const param = { style: 'deepObject', explode: true } as const;
    return [name, z.strictObject(inner.shape).optional().meta({ param })] as const;
  });
  return z.strictObject(Object.fromEntries(members));
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
  'Last-Event-ID': z.string().optional().meta({
    description: 'Resume five minutes before this event, which must be of the last 30 days.',
  }),
});

const IdempotencyHeader = z.strictObject({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'The same key and parameters get the same answer for 24 hours.' }),
});

/** Only JSON: of two types generators use the first or refuse, and forms are for people. */
function toRequestBody(
  schema: z.ZodObject,
  { takesFile }: Pick<RouteFacts, 'takesFile'>,
): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const members: readonly z.core.$ZodType[] = Object.values(schema.shape);
  if (members.length === 0) return {};
  const required = members.some((member) => member._zod.optin === undefined);
  const type = takesFile === true ? 'multipart/form-data' : 'application/json';
  return { requestBody: { required, content: { [type]: { schema } } } };
}
