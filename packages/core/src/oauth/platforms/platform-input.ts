import { z } from 'zod';
import { ScopeInput } from '../../access/keys/key-input.ts';
import { SCOPES } from '../../kernel/callers/scope.ts';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { EmailInput, name } from '../../kernel/input/input.ts';
import { PLATFORM_TYPES, SECRET_REVOKED_REASONS } from './platform.ts';

const MAX_REDIRECT_URIS = 10;
const MAX_CALLBACK_ORIGINS = 5;
const MAX_URI = 2_000;

const RedirectUrisInput = z
  .array(
    withErrorHint(
      z.string().min(1).max(MAX_URI),
      'an address such as https://app.example.com/callback',
    ),
  )
  .min(1)
  .max(MAX_REDIRECT_URIS)
  .meta({
    description:
      'The addresses to which merchants return. A request must name one of them byte for byte; ' +
      'only the port of a loopback address of a public platform may differ.',
  });

const CallbackOriginsInput = z
  .array(withErrorHint(z.string().min(1).max(MAX_URI), 'an origin such as https://app.example.com'))
  .max(MAX_CALLBACK_ORIGINS)
  .meta({
    description:
      'Other origins to which the redirect URIs forward the browser, so that the consent screen lets it pass.',
  });

const PlatformScopesInput = z
  .array(ScopeInput)
  .min(1)
  .max(SCOPES.length)
  .meta({ description: 'The scopes that it may ask for. Its tokens have no others.' });

const ContactEmailInput = EmailInput.meta({ description: 'The address for notices.' });
const RequirePkceInput = z.boolean().meta({
  description: 'Whether its authorization requests must use PKCE. Public platforms always must.',
});

export const PlatformCreateInput = z
  .strictObject({
    livemode: z.boolean(),
    type: z.enum(PLATFORM_TYPES).default('confidential'),
    name: name(100),
    redirect_uris: RedirectUrisInput,
    callback_origins: CallbackOriginsInput.optional(),
    scopes: PlatformScopesInput,
    require_pkce: RequirePkceInput.optional(),
    contact_email: ContactEmailInput,
  })
  .meta({ id: 'PlatformCreate' });

export const PlatformUpdateInput = z
  .strictObject({
    name: name(100).optional(),
    redirect_uris: RedirectUrisInput.optional(),
    callback_origins: CallbackOriginsInput.optional(),
    scopes: PlatformScopesInput.optional(),
    require_pkce: RequirePkceInput.optional(),
    contact_email: ContactEmailInput.optional(),
  })
  .meta({ id: 'PlatformUpdate' });

export const ClientSecretRevokeInput = z
  .strictObject({
    client_secret: z.string().max(255).meta({ description: 'The id of the secret: `csec_...`.' }),
    reason: z
      .enum(SECRET_REVOKED_REASONS)
      .default('admin')
      .meta({ description: 'For the record.' }),
  })
  .meta({ id: 'ClientSecretRevoke' });

export type PlatformCreate = z.output<typeof PlatformCreateInput>;
export type PlatformUpdate = z.output<typeof PlatformUpdateInput>;
export type ClientSecretRevoke = z.output<typeof ClientSecretRevokeInput>;
