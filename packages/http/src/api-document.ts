import { CURRENT_API_VERSION } from '@paymount/core';
import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { openApiOf } from './openapi.ts';
import type { Route } from './routing/route.ts';

const ExpandInput = z
  .array(z.string())
  .max(20)
  .optional()
  .meta({ description: 'Paths of ids to replace by what they name, at most 4 fields deep.' });

/** The OpenAPI 3.1 document of `/v1`. */
export function apiDocument(routes: readonly Route[]): oas31.OpenAPIObject {
  return openApiOf(routes, {
    info: {
      title: 'Paymount',
      version: CURRENT_API_VERSION,
      description: 'Payments behind your own address; paths are relative to the mount.',
    },
    base: '/v1',
    security: ['bearer', 'basic'],
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'The key.' },
      basic: { type: 'http', scheme: 'basic', description: 'The key as user name, no password.' },
    },
    accessOf: ({ scope, publishable, testOnly }) => {
      const demanded =
        scope === 'secret_key'
          ? 'For secret keys alone.'
          : `Scope: \`${scope}\`${publishable ? ', or a publishable key' : ''}.`;
      return testOnly ? `${demanded} In the test environment alone.` : demanded;
    },
    schemaOf: withExpand,
  });
}

function withExpand({ schema, facts }: Route): z.ZodObject {
  if (Object.keys(facts.expand ?? {}).length === 0) return schema;
  const extended = schema.safeExtend({ expand: ExpandInput });
  const id = schema.meta()?.id;
  return id === undefined ? extended : extended.meta({ id });
}
