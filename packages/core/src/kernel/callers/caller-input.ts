import { isIP } from 'node:net';
import { z } from 'zod';
import { parseId } from '../basics/id.ts';
import { withErrorHint } from '../errors/error-hints.ts';
import { name } from '../input/input.ts';

const VIA = /^[a-z0-9][a-z0-9_+-]{0,49}$/;

/** Without the user agent, which clients choose freely; it is stored as far as possible. */
const AuditContextInput = z.strictObject({
  actor: z.strictObject({
    type: z.enum(['admin', 'key', 'platform', 'user', 'host', 'command', 'system']),
    id: name(200),
  }),
  via: withErrorHint(
    z.string().regex(VIA),
    'a word of 1 to 50 lower-case letters, digits and -, _ or +, such as session',
  ),
  ip: withErrorHint(
    z.string().refine((value) => isIP(value) !== 0),
    'an IP address',
  ).optional(),
  requestId: withErrorHint(
    z.string().transform((value, context) => {
      const id = parseId('req', value);
      if (id === undefined) context.addIssue({ code: 'custom' });
      return id ?? z.NEVER;
    }),
    'the id of a request, such as req_…',
  ).optional(),
});

/** The author of a change by the host's own code: an `AuditContext` without `userAgent`. */
export const CallerInput = z.strictObject({ by: AuditContextInput });
