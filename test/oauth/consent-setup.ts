import { expect } from 'chai';
import type { HostUser } from 'paymount';
import type { Reply } from '../support/ask.ts';
import { type Browser, newBrowser } from '../support/browser.ts';
import { type OAuthSetup, REDIRECT_URI } from '../support/oauth-setup.ts';

/** What a platform asks for, if a test does not say. */
const REQUEST = { redirect_uri: REDIRECT_URI, state: 'a state' };

/** The path of an authorization request of the setup's platform. */
export function authorizePath(
  { platform }: Pick<OAuthSetup, 'platform'>,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const asked = { client_id: platform.id, ...REQUEST, ...parameters };
  return `/oauth/authorize?${new URLSearchParams(asked)}`;
}

/** A merchant in a browser, before the page on which a platform is approved. */
export interface AtConsent {
  readonly browser: Browser;
  /** The path of the page. */
  readonly path: string;
  readonly page: Reply;
  /** Sends the form of the page. */
  answer(fields?: Parameters<Browser['submit']>[1]): Promise<Reply>;
}

/** A merchant logs in, and opens the page for a request. */
export async function atConsent(
  setup: OAuthSetup,
  parameters: Readonly<Record<string, string>> = {},
  hostUser: Partial<HostUser> = {},
): Promise<AtConsent> {
  const browser = newBrowser(setup.url);
  browser.keep(setup.login.logIn({ accounts: [ownAccount(setup)], ...hostUser }));
  const started = await browser.open(authorizePath(setup, parameters));
  expect(started.status, started.text).to.equal(303);
  const path = String(started.headers.location);
  const page = await browser.open(path);
  const hidden = hiddenFields(page.text);
  return {
    browser,
    path,
    page,
    answer: (fields = { decision: 'approve', scope: ['charges:read'] }) =>
      browser.submit(path, { ...hidden, ...fields }),
  };
}

/** The setup's account, for which its merchant may approve. */
export function ownAccount({ account }: Pick<OAuthSetup, 'account'>): HostUser['accounts'][number] {
  return { id: account, name: 'Test shop', role: 'owner' };
}

/** The hidden fields of a form. */
export function hiddenFields(text: string): Record<string, string> {
  const found = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name, value]));
}

/** The parameters with which a response sends the browser to an address. */
export function sentTo({ status, headers, text }: Reply, address: string): URLSearchParams {
  expect(status, text).to.equal(303);
  const location = String(headers.location);
  expect(location.split('?')[0]).to.equal(address);
  return new URL(location).searchParams;
}
