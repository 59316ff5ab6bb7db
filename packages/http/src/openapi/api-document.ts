import { CURRENT_API_VERSION } from '@paymount/core/changes';
import { z } from 'zod';
import { EVENTS, eventWebhooks } from '../events/event-schema.ts';
import { Nothing, type Route } from '../routing/route.ts';
import type { Document } from './schema.ts';
import { toOpenApi } from './to-openapi.ts';

const ExpandInput = z
  .array(z.string())
  .max(20)
  .optional()
  .meta({ description: 'Paths of ids to replace by their objects, at most 4 fields deep.' });

const ExpansionInput = z.strictObject({ expand: ExpandInput }).meta({ id: 'Expansion' });

/**
 * Facts that the schemas leave out, because they describe each thing only in the form for generated
 * clients.
 */
const DESCRIPTION = `Payments behind your own address; paths are relative to the mount.

Every body is taken as a form too (\`application/x-www-form-urlencoded\`, with \`metadata[order]=1\`
and \`enabled_events[]=*\`). Times may also be unix seconds, and \`created\` one time:
\`created=1764000000\`. An empty text removes a value where it is allowed. A request with the header
\`Stripe-Version\` is answered with times in unix seconds, unlike these schemas.`;

/** The OpenAPI 3.1 document of `/v1`. */
export function apiDocument(routes: readonly Route[]): Document {
  return toOpenApi(routes, {
    info: {
      title: 'Paymount',
      version: CURRENT_API_VERSION,
      description: DESCRIPTION,
    },
    base: '/v1',
    // Generated clients send all schemes in the list, and of two in one header only the last.
    security: ['bearer'],
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The key. It may also come as the user name of Basic, with an empty password.',
      },
    },
    describeAccess: ({ scope, orScope, publishable, testOnly }) => {
      const scopes = orScope === undefined ? `\`${scope}\`` : `\`${scope}\` or \`${orScope}\``;
      const demanded =
        scope === 'secret_key'
          ? 'Only for secret keys.'
          : `Scope: ${scopes}${publishable ? ', or a publishable key' : ''}.`;
      return testOnly ? `${demanded} Only in the test environment.` : demanded;
    },
    schemaFor: withExpand,
    // A host may distinguish environments by host name.
    errorStatuses: [421],
    webhooks: eventWebhooks(EVENTS),
  });
}

/** A name must stand for one schema in a document, although several routes may use it. */
const EXTENDED = new WeakMap<z.ZodObject, z.ZodObject>();

function withExpand({ schema, facts }: Route): z.ZodObject {
  if (Object.keys(facts.expand ?? {}).length === 0) return schema;
  if (schema === Nothing) return ExpansionInput;
  const known = EXTENDED.get(schema);
  if (known !== undefined) return known;
  const extended = schema.safeExtend({ expand: ExpandInput });
  const id = schema.meta()?.id;
  const named = id === undefined ? extended : extended.meta({ id });
  EXTENDED.set(schema, named);
  return named;
}
