import { createHash, randomBytes } from 'node:crypto';
import type { Environment } from '@paymount/core/kernel';
import type { Platform, PlatformCreateParams } from 'paymount';
import { startApp, type TestApp } from './app.ts';
import { type Approved, approve } from './approve.ts';
import { type Ask, postForm, type Reply } from './ask.ts';
import { type FakeClock, fakeClock } from './clock.ts';
import { type FakeLogin, fakeLogin } from './fake-login.ts';
import type { TestHostOptions } from './host.ts';

export const ISSUER = 'https://pay.example.com';
export const REDIRECT_URI = 'https://ledger.example.com/callback';

/** A host with the endpoints of OAuth, and one platform. */
export interface OAuthSetup extends TestApp {
  readonly clock: FakeClock;
  readonly login: FakeLogin;
  readonly platform: Platform;
  newPlatform(settings?: Partial<PlatformCreateParams>): Promise<Platform>;
  /** A merchant approves. @returns the code */
  approve(approval?: Partial<OwnApproval>): Promise<string>;
  /** Posts parameters to an endpoint below `/oauth`, by default as the platform of the setup. */
  post(endpoint: string, parameters: Record<string, string>, more?: Ask): Promise<Reply>;
  /** Approves and exchanges the code. */
  connect(approval?: Partial<OwnApproval>): Promise<Reply['json']>;
}

type OwnApproval = Approved & { readonly platform: Platform };

/** Starts it; `close()` it in `after`. */
export async function startOAuthSetup(
  options: TestHostOptions & { readonly environment?: Environment } = {},
): Promise<OAuthSetup> {
  const clock = fakeClock();
  const { environment = 'test' } = options;
  const login = fakeLogin();
  const app = await startApp({
    ...options,
    environment,
    paymount: { clock, ...options.paymount },
    mount(host, paymount) {
      const { identity } = login;
      host.use(paymount.oauthRouter({ environment, issuer: ISSUER, identity, requireTls: false }));
      host.use(paymount.router({ environment, requireTls: false }));
    },
  });
  const newPlatform: OAuthSetup['newPlatform'] = (settings = {}) =>
    app.paymount.platforms.create({
      livemode: environment === 'live',
      name: 'Ledger app',
      redirect_uris: [REDIRECT_URI],
      scopes: ['charges:read', 'charges:write', 'payouts:read'],
      contact_email: 'ops@ledger.example.com',
      ...settings,
    });
  const platform = await newPlatform();
  const approveHere: OAuthSetup['approve'] = (given = {}) =>
    approve(app.paymount, { platform, account: app.account, ...given });
  const post: OAuthSetup['post'] = (endpoint, parameters, more = {}) => {
    const client = { client_id: platform.id, client_secret: platform.client_secret ?? '' };
    const form = new URLSearchParams({ ...client, ...parameters }).toString();
    return postForm(`${app.url}/oauth/${endpoint}`, form, { key: '', ...more });
  };
  return {
    ...app,
    clock,
    login,
    platform,
    newPlatform,
    approve: approveHere,
    post,
    async connect(approval = {}) {
      const code = await approveHere(approval);
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
