import { z } from 'zod';
import { SCOPES } from '../../kernel/callers/scope.ts';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { MomentInput, name } from '../../kernel/input/input.ts';
import { MAX_RANGES } from '../addresses/canonical-ranges.ts';
import { KEY_TYPES } from '../credentials/key-format.ts';
import { REVOKED_REASONS } from './key.ts';

/** 30 days. */
export const MAX_OVERLAP_SECONDS = 2_592_000;
/** Forms cannot send null. */
const UNSET = z.union([z.literal(''), z.null()]);

/** The scopes of a restricted key. */
export const ScopeInput = z.enum(SCOPES).meta({ id: 'Scope' });

const ScopesInput = z
  .array(ScopeInput)
  .min(1)
  .max(SCOPES.length)
  .meta({ description: 'Only restricted keys have scopes.' });

const AllowedIpsInput = z
  .array(withErrorHint(z.string().max(64), 'an address or a CIDR range such as 203.0.113.0/24'))
  .min(1)
  .max(MAX_RANGES)
  .meta({ description: 'CIDR ranges, IPv4 and IPv6. Requests from other addresses are refused.' });

export const KeyCreateInput = z
  .strictObject({
    account: z.string().max(255),
    livemode: z.boolean(),
    type: z.enum(KEY_TYPES),
    name: name(100),
    scopes: ScopesInput.optional(),
    allowed_ips: AllowedIpsInput.optional(),
    expires_at: MomentInput.optional(),
  })
  .meta({ id: 'KeyCreate' });

export const KeyUpdateInput = z
  .strictObject({
    name: name(100).optional(),
    scopes: ScopesInput.optional(),
    allowed_ips: z.union([UNSET, AllowedIpsInput]).optional(),
    expires_at: z
      .union([UNSET, MomentInput])
      .optional()
      .meta({ description: 'A time in the past ends the key now.' }),
    confirm_lockout: z
      .boolean()
      .default(false)
      .meta({ description: 'Accept a list that leaves out addresses used in the last 30 days.' }),
  })
  .meta({ id: 'KeyUpdate' });

export const KeyRotateInput = z
  .strictObject({
    overlap_seconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).optional().meta({
      description: 'How long the old key still works. If absent, until it is revoked.',
    }),
  })
  .meta({ id: 'KeyRotate' });

export const KeyRevokeInput = z
  .strictObject({
    reason: z.enum(REVOKED_REASONS).default('admin').meta({ description: 'For the record.' }),
  })
  .meta({ id: 'KeyRevoke' });

export type KeyCreate = z.output<typeof KeyCreateInput>;
export type KeyUpdate = z.output<typeof KeyUpdateInput>;
export type KeyRotate = z.output<typeof KeyRotateInput>;
export type KeyRevoke = z.output<typeof KeyRevokeInput>;
