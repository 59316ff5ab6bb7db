import { z } from 'zod';
import type { Id } from '../basics/id.ts';
import type { AuditContext } from './audit-context.ts';
import { auditContextFor } from './call.ts';
import type { Call } from './principal.ts';

/** The credential or the person that made something lasting. */
export type Maker = AuditContext['actor'] & {
  /** Of a platform: the approval under which it acted. */
  readonly grant?: Id<'grt'>;
};

export const MakerResource = z
  .strictObject({
    type: z.enum(['admin', 'key', 'platform', 'user', 'host', 'command', 'system']),
    id: z.string(),
  })
  .meta({ id: 'Maker' });

/** Who makes or changes what a call is about. */
export function makerOf(call: Call): Maker {
  const { principal } = call;
  const { type, id } = auditContextFor(call).actor;
  return { type, id, ...(principal.kind === 'token' && { grant: principal.grantId }) };
}

/** The JSON of a maker. @returns null if it is unknown: an earlier version did not record it */
export function toMakerResource(maker: Maker | undefined): z.output<typeof MakerResource> | null {
  return maker === undefined ? null : { type: maker.type, id: maker.id };
}
