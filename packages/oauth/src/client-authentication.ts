import { hashCredential, oauthTypeOf } from '@paymount/core/access';
import { type Environment, PaymountError, parseId } from '@paymount/core/kernel';
import type { ClientSecretReader, Platform, PlatformReader } from '@paymount/core/oauth';
import { optional, type Parameters } from './parameters.ts';

export interface ClientAuthenticationPorts {
  readonly platforms: PlatformReader & ClientSecretReader;
}

/** What a request says about its client. */
interface ClientCredentials {
  readonly clientId: string;
  /** Absent: a public platform. */
  readonly secret?: string;
  /** Whether it was sent as Basic: then the response to a wrong one must ask for Basic. */
  readonly isBasic: boolean;
}

/**
 * The platform that sent a request, by Basic, by parameters in the body, or for a public one by its
 * `client_id` alone (RFC 6749, section 2.3).
 * @param authorization the header; a Bearer in it is ignored, as SDKs send one of their own
 * @throws PaymountError `invalid_request` for two ways at once; `invalid_client`
 */
export async function authenticateClient(
  { platforms }: ClientAuthenticationPorts,
  environment: Environment,
  {
    authorization,
    parameters,
  }: { readonly authorization?: string; readonly parameters: Parameters },
): Promise<Platform> {
  const credentials = readClient(authorization, parameters);
  const id = parseId('ca', credentials.clientId);
  const platform = id && (await platforms.find(id));
  const isKnown = platform?.environment === environment && platform.status === 'active';
  if (!isKnown || !(await isAuthentic(platforms, platform, credentials.secret))) {
    throw invalidClient(credentials);
  }
  return platform;
}

async function isAuthentic(
  platforms: ClientSecretReader,
  { id, type }: Platform,
  secret: string | undefined,
): Promise<boolean> {
  if (type === 'public') return secret === undefined;
  if (secret === undefined || oauthTypeOf(secret) !== 'client_secret') return false;
  const found = await platforms.findSecret(hashCredential(secret));
  return found?.platformId === id && found.status === 'active';
}

function readClient(authorization: string | undefined, parameters: Parameters): ClientCredentials {
  const named = optional(parameters, 'client_id');
  const secret = optional(parameters, 'client_secret');
  const basic = readBasic(authorization);
  if (basic !== undefined) {
    if (secret !== undefined || (named !== undefined && named !== basic.clientId)) {
      throw new PaymountError(
        'invalid_request',
        'The client authenticates both by Basic and by parameters; use one of them.',
      );
    }
    return basic;
  }
  if (named === undefined) {
    const message = 'client_id is required, in the body or as the user name of Basic.';
    throw new PaymountError('invalid_client', message);
  }
  return { clientId: named, ...(secret === undefined ? {} : { secret }), isBasic: false };
}

/** @throws PaymountError `invalid_client` for Basic that cannot be read */
function readBasic(authorization: string | undefined): ClientCredentials | undefined {
  const [scheme = '', value = ''] = (authorization ?? '').trim().split(/ +/);
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(value, 'base64').toString();
  const colon = pair.indexOf(':');
  if (colon < 0) throw invalidClient({ isBasic: true });
  const secret = decoded(pair.slice(colon + 1));
  const clientId = decoded(pair.slice(0, colon));
  return { clientId, ...(secret === '' ? {} : { secret }), isBasic: true };
}

/** Both parts are form-encoded (RFC 6749, section 2.3.1); some clients leave them as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function invalidClient({ isBasic }: Pick<ClientCredentials, 'isBasic'>): PaymountError {
  return new PaymountError('invalid_client', undefined, isBasic ? { extra: { basic: true } } : {});
}
