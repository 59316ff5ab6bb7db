import { isDeepStrictEqual } from 'node:util';
import { checkedName, invalid } from '../../access/checks.ts';
import { assertNoForbiddenText } from '../../access/credentials/forbidden-text.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import { SCOPES, type Scope } from '../../kernel/callers/scope.ts';
import type { Platform, PlatformType } from './platform.ts';
import { isCallbackOrigin, redirectUriFault } from './redirect-uri.ts';

/** What an admin decides about a platform, and may change later. */
export interface PlatformSettings {
  /** 1-100 characters. */
  readonly name: string;
  /** 1-10 addresses. */
  readonly redirectUris: readonly string[];
  /** At most 5 origins. @defaultValue none */
  readonly callbackOrigins?: readonly string[];
  /** At least one. */
  readonly scopes: readonly Scope[];
  /** @defaultValue false for a confidential platform; a public one always must use PKCE */
  readonly requirePkce?: boolean;
  readonly contactEmail: string;
}

export interface NewPlatform extends PlatformSettings {
  readonly environment: Environment;
  readonly type: PlatformType;
  /** The creator, for the record. */
  readonly createdBy: string;
}

/** The settings that change; absent ones stay as they are. */
export type PlatformEdit = Partial<PlatformSettings>;

/** The row of a new platform. @throws `parameter_invalid`, `secret_in_text`, `raw_card_data_not_allowed` */
export function newPlatform(input: NewPlatform, now: Date): Platform {
  const { environment, type, createdBy, ...settings } = input;
  return applySettings(
    {
      id: newId('ca'),
      version: 1,
      environment,
      type,
      name: '',
      redirectUris: [],
      callbackOrigins: [],
      scopes: [],
      requirePkce: type === 'public',
      contactEmail: '',
      status: 'active',
      created: now,
      createdBy,
      secrets: [],
    },
    settings,
  );
}

/** The platform with other settings. @throws as `newPlatform` */
export function applySettings(platform: Platform, edit: PlatformEdit): Platform {
  const { name, redirectUris, callbackOrigins, scopes, requirePkce, contactEmail } = edit;
  return {
    ...platform,
    ...(name === undefined ? {} : { name: checkedName(name, 100) }),
    ...(redirectUris && { redirectUris: checkedRedirectUris(platform, redirectUris) }),
    ...(callbackOrigins && { callbackOrigins: checkedOrigins(platform, callbackOrigins) }),
    ...(scopes && { scopes: SCOPES.filter((scope) => scopes.includes(scope)) }),
    ...(requirePkce === undefined ? {} : { requirePkce: checkedPkce(platform, requirePkce) }),
    ...(contactEmail === undefined
      ? {}
      : { contactEmail: withoutSecrets('contact_email', contactEmail) }),
  };
}

/** Whether two versions of a platform differ in anything but their version. */
export function isSamePlatform(one: Platform, other: Platform): boolean {
  return isDeepStrictEqual({ ...one, version: 0 }, { ...other, version: 0 });
}

function checkedRedirectUris(platform: Platform, uris: readonly string[]): readonly string[] {
  for (const [index, uri] of uris.entries()) {
    const param = `redirect_uris[${index}]`;
    withoutSecrets(param, uri);
    const fault = redirectUriFault(uri, platform);
    if (fault !== undefined) throw invalid(param, `The redirect URI ${fault}`);
  }
  return [...new Set(uris)];
}

function checkedOrigins({ environment }: Platform, origins: readonly string[]): readonly string[] {
  for (const [index, origin] of origins.entries()) {
    const param = `callback_origins[${index}]`;
    withoutSecrets(param, origin);
    if (isCallbackOrigin(origin, environment)) continue;
    throw invalid(
      param,
      `A callback origin is a scheme, a host and maybe a port, in lower case and without a path, such as https://app.example.com${environment === 'live' ? '; in live it must use https' : ''}.`,
    );
  }
  return [...new Set(origins)];
}

function checkedPkce({ type }: Platform, requirePkce: boolean): boolean {
  if (type === 'confidential' || requirePkce) return requirePkce;
  throw invalid('require_pkce', 'A public platform has no secret and always must use PKCE.');
}

function withoutSecrets(param: string, text: string): string {
  assertNoForbiddenText(text, { param, cards: true });
  return text;
}
