import { createHash, randomBytes } from 'node:crypto';
import type { Environment, Scope } from '@paymount/core/kernel';
import type { Platform as StoredPlatform } from '@paymount/core/oauth';
import type { Platform, PlatformCreateParams } from 'paymount';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { startApp, type TestApp } from './app.ts';
import { type Ask, postForm, type Reply } from './ask.ts';
import { type FakeClock, fakeClock } from './clock.ts';
import type { TestHostOptions } from './host.ts';

const ISSUER = 'https://pay.example.com';
export const REDIRECT_URI = 'https://ledger.example.com/callback';

/** A host with the endpoints of OAuth, and one platform. */
export interface OAuthStage extends TestApp {
  readonly clock: FakeClock;
  readonly platform: Platform;
  newPlatform(settings?: Partial<PlatformCreateParams>): Promise<Platform>;
  /** A merchant approves. @returns the code */
  approve(approval?: Partial<Approved>): Promise<string>;
  /** Posts parameters to an endpoint below `/oauth`, by default as the platform of the stage. */
  post(endpoint: string, parameters: Record<string, string>, more?: Ask): Promise<Reply>;
  /** Approves and exchanges the code. */
  connect(approval?: Partial<Approved>): Promise<Reply['json']>;
}

export interface Approved {
  readonly platform: Platform;
  readonly account: string;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  readonly codeChallenge: string;
}

/** Starts it; `close()` it in `after`. */
export async function startOAuthStage(
  options: TestHostOptions & { readonly environment?: Environment } = {},
): Promise<OAuthStage> {
  const clock = fakeClock();
  const { environment = 'test' } = options;
  const app = await startApp({
    ...options,
    environment,
    paymount: { clock, ...options.paymount },
    mount(host, paymount) {
      host.use(paymount.oauthRouter({ environment, issuer: ISSUER, requireTls: false }));
      host.use(paymount.router({ environment, requireTls: false }));
    },
  });
  const newPlatform: OAuthStage['newPlatform'] = (settings = {}) =>
    app.paymount.platforms.create({
      livemode: environment === 'live',
      name: 'Ledger app',
      redirect_uris: [REDIRECT_URI],
      scopes: ['charges:read', 'charges:write', 'payouts:read'],
      contact_email: 'ops@ledger.example.com',
      ...settings,
    });
  const platform = await newPlatform();
  const approve: OAuthStage['approve'] = async ({ account = app.account, ...given } = {}) => {
    const { grants, stores } = partsOf(app.paymount);
    const id = (given.platform ?? platform).id as StoredPlatform['id'];
    const stored = await stores.directory.platforms.find(id);
    if (stored === undefined) throw new Error(`There is no platform ${id}.`);
    return grants.approve({
      platform: stored,
      accountId: account as TestApp['account'],
      environment,
      scopes: given.scopes ?? ['charges:read', 'charges:write'],
      userId: 'user-1',
      ...(given.redirectUri === undefined ? {} : { redirectUri: given.redirectUri }),
      ...(given.codeChallenge === undefined ? {} : { codeChallenge: given.codeChallenge }),
      by: { actor: { type: 'user', id: 'user-1' }, via: 'session' },
    });
  };
  const post: OAuthStage['post'] = (endpoint, parameters, more = {}) => {
    const client = { client_id: platform.id, client_secret: platform.client_secret ?? '' };
    const form = new URLSearchParams({ ...client, ...parameters }).toString();
    return postForm(`${app.url}/oauth/${endpoint}`, form, { key: '', ...more });
  };
  return {
    ...app,
    clock,
    platform,
    newPlatform,
    approve,
    post,
    async connect(approval = {}) {
      const code = await approve(approval);
      const of = approval.platform ?? platform;
      const client = { client_id: of.id, client_secret: of.client_secret ?? '' };
      const reply = await post('token', { ...client, grant_type: 'authorization_code', code });
      if (reply.status !== 200) throw new Error(`/oauth/token: ${reply.text}`);
      return reply.json;
    },
  };
}

/** A verifier of PKCE, and its challenge. */
export function pkce(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
