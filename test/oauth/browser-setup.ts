import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express, { type Express } from 'express';
import type { Identity, Platform } from 'paymount';
import type { BrowserContext, Page } from 'playwright-core';
import type { Reply } from '../support/ask.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';
import { ownAccount } from './consent-setup.ts';

/** A host, its login on another origin, and a platform of another site, all for real browsers. */
export interface BrowserSetup {
  readonly setup: OAuthSetup;
  /** The host: its sessions and the pages of OAuth. */
  readonly hostUrl: string;
  /** The site of the platform. */
  readonly platformUrl: string;
  /** The origin to which `<platformUrl>/forward` sends a browser on. */
  readonly forwardedTo: string;
  /** Registered with `<platformUrl>/callback`, which shows its own address. */
  readonly platform: Platform;
  /** Where a browser starts. */
  authorizeUrl(parameters?: Readonly<Record<string, string>>): string;
  /** A merchant logs in in this browser, and comes to the page. */
  atConsent(context: BrowserContext, parameters?: Readonly<Record<string, string>>): Promise<Page>;
  /** The parameters with which the browser came back to the platform. */
  atPlatform(page: Page): Promise<URLSearchParams>;
  /** The platform exchanges its code for a token. */
  exchange(code: string | null): Promise<Reply>;
  close(): Promise<void>;
}

/** Starts it; `close()` it in `after`. */
export async function startBrowserSetup(): Promise<BrowserSetup> {
  const setup = await startOAuthSetup();
  const [app, host] = await serve('127.0.0.1');
  // Another name of the same machine is another site.
  const [platformApp, platformSite] = await serve('localhost');
  const [loginApp, login] = await serve('localhost');
  const { current, loginUrl } = setup.login.identity;
  const identity: Identity = {
    current,
    loginUrl: (returnTo, hint) => `${login.url}${loginUrl(returnTo, hint)}`,
  };
  app.use(setup.paymount.oauthRouter({ environment: 'test', issuer: host.url, identity }));
  addLogin(loginApp, host.url);
  addSessions(app, setup);
  const redirectUri = `${platformSite.url}/callback`;
  const platform = await setup.newPlatform({ redirect_uris: [redirectUri] });
  const authorizeUrl: BrowserSetup['authorizeUrl'] = (parameters = {}) => {
    const asked = { client_id: platform.id, state: 'a state', ...parameters };
    return `${host.url}/oauth/authorize?${new URLSearchParams(asked)}`;
  };
  platformApp.get('/callback', (_request, response) => void response.send('<h1>Connected</h1>'));
  const forwardedTo = platformSite.url.replace('localhost', '127.0.0.1');
  platformApp.get('/forward', (_request, response) =>
    response.redirect(303, `${forwardedTo}/elsewhere`),
  );
  platformApp.get('/elsewhere', (_request, response) => void response.send('<h1>Elsewhere</h1>'));
  platformApp.get('/frame', (request, response) => {
    response.send(`<h1>A frame</h1><iframe src="${String(request.query['url'])}"></iframe>`);
  });
  return {
    setup,
    hostUrl: host.url,
    platformUrl: platformSite.url,
    platform,
    authorizeUrl,
    forwardedTo,
    async atConsent(context, parameters) {
      const page = await context.newPage();
      await page.goto(authorizeUrl(parameters));
      if ((await page.title()) === 'Log in') await page.click('button');
      expect(await page.title()).to.equal('Ledger app wants access to your account');
      return page;
    },
    async atPlatform(page) {
      await page.waitForURL((url) => url.href.startsWith(redirectUri));
      return new URL(page.url()).searchParams;
    },
    exchange: (code) =>
      setup.post('token', {
        client_id: platform.id,
        client_secret: platform.client_secret ?? '',
        grant_type: 'authorization_code',
        code: code ?? '',
      }),
    async close() {
      for (const { server } of [host, login, platformSite]) {
        server.closeAllConnections();
        server.close();
      }
      await setup.close();
    },
  };
}

/** A form that sends the only user to the host. */
function addLogin(app: Express, hostUrl: string): void {
  app.get('/login', (request, response) => {
    const returnTo = String(request.query['returnTo']);
    response.send(`<!doctype html><html lang="en"><title>Log in</title><h1>Log in</h1>
      <form method="post" action="/login?${new URLSearchParams({ returnTo })}">
      <button>Log in</button></form>`);
  });
  app.post('/login', (request, response) => {
    const returnTo = String(request.query['returnTo']);
    response.redirect(303, `${hostUrl}/session?${new URLSearchParams({ returnTo })}`);
  });
}

/** Begins a session after the login. */
function addSessions(app: Express, setup: OAuthSetup): void {
  app.get('/session', (request, response) => {
    const cookie = setup.login.logIn({ accounts: [ownAccount(setup)] });
    response.setHeader('Set-Cookie', `${cookie}; HttpOnly; SameSite=Lax; Path=/`);
    response.redirect(303, String(request.query['returnTo']));
  });
}

async function serve(
  name: 'localhost' | '127.0.0.1',
): Promise<[Express, { readonly server: Server; readonly url: string }]> {
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return [app, { server, url: `http://${name}:${(server.address() as AddressInfo).port}` }];
}
