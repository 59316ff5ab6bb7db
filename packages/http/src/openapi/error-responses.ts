import { ERROR_CODES } from '@paymount/core/kernel';
import { z } from 'zod';
import type { Method } from '../routing/route-table.ts';
import { refTo } from './schema.ts';

const ErrorCodeResource = z.enum(Object.keys(ERROR_CODES)).meta({ id: 'ErrorCode' });
const TYPES = [...new Set(Object.values(ERROR_CODES).map(({ type }) => type))];

/** The body of every error. */
export const ErrorResource = z
  .strictObject({
    error: z
      .looseObject({
        type: z.enum(TYPES),
        code: ErrorCodeResource,
        message: z.string(),
        param: z.string().optional(),
        decline_code: z.string().optional(),
        charge: z.string().optional().meta({ description: 'The charge that failed.' }),
        required_scope: z.string().optional(),
        required_permission: z.string().optional(),
        doc_url: z.string().meta({
          description:
            "The documentation of the code. A path, such as `/payments/v1/docs#...`, is on this API's host.",
        }),
        request_id: z.string(),
      })
      .meta({ id: 'ErrorDetail' }),
  })
  .meta({ id: 'Error' });

/** The names of the error statuses (RFC 9110, section 15). */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  429: 'TooManyRequests',
  431: 'RequestHeaderFieldsTooLarge',
  500: 'InternalServerError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
};

const ALWAYS = [400, 401, 403, 429, 431, 500, 503];
const OF_WRITES = [408, 409, 413, 415];
/** Statuses after which the same request may be sent again. */
const MAY_PASS = [409, 429, 503];

/**
 * Every error status of a route, in order.
 * @param route with the statuses that it declares itself
 */
export function allErrorStatuses(route: {
  readonly method: Method;
  readonly pattern: string;
  readonly errorStatuses: readonly number[];
}): readonly number[] {
  const { method, pattern, errorStatuses } = route;
  const missing = pattern.includes(':id') ? [404] : [];
  const written = method === 'GET' ? [] : OF_WRITES;
  return [...new Set([...ALWAYS, ...missing, ...written, ...errorStatuses])].sort((a, b) => a - b);
}

/** The error answers of a route, by status. */
export function toErrorResponses(
  route: Parameters<typeof allErrorStatuses>[0],
): Record<string, { $ref: string }> {
  const entries = allErrorStatuses(route).map((status) => {
    return [String(status), { $ref: `#/components/responses/${statusName(status)}` }] as const;
  });
  return Object.fromEntries(entries);
}

/** The components of the error answers. @param statuses those that some route has */
export function buildErrorResponses(statuses: Iterable<number>): Record<string, object> {
  const sorted = [...new Set(statuses)].sort((a, b) => a - b);
  return Object.fromEntries(
    sorted.map((status) => [statusName(status), buildErrorResponse(status)]),
  );
}

function buildErrorResponse(status: number): object {
  const codes = Object.entries(ERROR_CODES).filter(([, facts]) => facts.status === status);
  const named = codes.map(([code]) => `\`${code}\``);
  // An object that an id in the path names.
  if (status === 404) named.push('`resource_missing`');
  return {
    description: `\`error.code\` is ${named.join(', ')}.`,
    headers: {
      'Request-Id': {
        description: 'The id of this request; name it when you contact support.',
        schema: TEXT,
      },
      ...(MAY_PASS.includes(status) ? { 'Retry-After': RETRY_AFTER } : {}),
    },
    content: { 'application/json': { schema: { $ref: refTo('Error') } } },
  };
}

const TEXT = { type: 'string' } as const;
const RETRY_AFTER = {
  description: 'Seconds after which the same request may be sent again.',
  schema: { type: 'integer', minimum: 0 },
} as const;

function statusName(status: number): string {
  const name = NAMES[status];
  if (name === undefined) throw new Error(`The status ${status} has no name.`);
  return name;
}
