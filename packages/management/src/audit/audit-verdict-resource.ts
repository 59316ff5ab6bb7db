import { z } from 'zod';

/** The maximum number of items, as for any list in a body. */
const MAX_HEADS = 100;
/** The parameters of a verification. */
export const VerifyInput = z
  .strictObject({
    account: z.string().max(255).optional().meta({ description: 'Only its chain.' }),
    heads: z
      .array(
        z.strictObject({
          account: z.string().max(255).nullable().optional(),
          seq: z.int().min(1),
          hash: z.string().regex(/^[0-9a-f]{64}$/, { error: 'A hash is 64 hexadecimal digits.' }),
        }),
      )
      .max(MAX_HEADS)
      .optional()
      .meta({
        description:
          'Heads that earlier runs returned: their entries must be unchanged. If you have more than 100, send several calls.',
      }),
  })
  .meta({ id: 'AuditVerify' });

const ChainResource = { account: z.string().nullable(), seq: z.int() };
/** The result of a verification. */
export const AuditVerdictResource = z
  .strictObject({
    object: z.literal('audit_verdict'),
    entries: z.int().meta({ description: 'The number of verified entries.' }),
    heads: z.array(z.strictObject({ ...ChainResource, hash: z.string() })).meta({
      description:
        'The newest entry of each chain. Copies kept elsewhere show later whether a tail was cut.',
    }),
    faults: z
      .array(
        z.strictObject({
          ...ChainResource,
          found: z.enum(['changed', 'missing', 'unlinked', 'contradicted']),
          kept: z
            .array(z.string())
            .optional()
            .meta({ description: 'With `contradicted`: the hashes that kept heads have.' }),
        }),
      )
      .meta({ description: 'Empty if nothing is wrong.' }),
  })
  .meta({ id: 'AuditVerdict' });
