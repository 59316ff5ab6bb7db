import { z } from 'zod';
import { CURRENT_API_VERSION, isEndpointVersion } from '../../changes/events/api-version.ts';
import { EnabledEventsInput } from '../../changes/events/event-pattern.ts';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { text } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';

const UrlInput = z.string().max(2048).meta({ description: 'HTTPS; test mode also accepts HTTP.' });

const VersionInput = withErrorHint(
  z.string().max(40).refine(isEndpointVersion),
  `${CURRENT_API_VERSION}, or a version of Stripe's API such as 2024-06-20 or 2025-09-30.clover`,
);

export const EndpointCreateInput = z
  .strictObject({
    url: UrlInput,
    enabled_events: EnabledEventsInput,
    description: text(255).optional(),
    metadata: MetadataInput.optional(),
    api_version: VersionInput.optional().meta({
      description:
        "The version of its deliveries. With one of Stripe's (`2024-06-20`, `2025-09-30.clover`), " +
        'their events have that version, and their times are Unix seconds.',
      example: CURRENT_API_VERSION,
    }),
  })
  .meta({ id: 'WebhookEndpointCreate' });

export const EndpointUpdateInput = z
  .strictObject({
    url: UrlInput.optional(),
    enabled_events: EnabledEventsInput.optional(),
    description: text(255).optional(),
    metadata: MetadataInput.optional(),
    disabled: z.boolean().optional(),
  })
  .meta({ id: 'WebhookEndpointUpdate' });

const MAX_OVERLAP_SECONDS = 604_800;
const DAY_SECONDS = 86_400;

export const EndpointRotateSecretInput = z
  .strictObject({
    overlap_seconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(DAY_SECONDS).meta({
      description: 'How long deliveries are also signed with the old secret.',
    }),
  })
  .meta({ id: 'WebhookEndpointRotateSecret' });

export type EndpointCreate = z.output<typeof EndpointCreateInput>;
export type EndpointUpdate = z.output<typeof EndpointUpdateInput>;
export type EndpointRotateSecret = z.output<typeof EndpointRotateSecretInput>;
