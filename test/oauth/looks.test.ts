import { expect } from 'chai';
import { newBrowser } from '../support/browser.ts';
import { startHost } from '../support/host.ts';
import { ISSUER, type OAuthStage, startOAuthStage } from '../support/oauth-stage.ts';
import { authorizePath, ownAccount } from './consent-stage.ts';

describe('The looks of the pages of OAuth', () => {
  let stage: OAuthStage;

  before(async () => {
    stage = await startOAuthStage();
  });
  after(() => stage.close());

  /** The page of a host with these looks, in a browser with this language. */
  async function look(appearance: object, language: string) {
    const host = await startHost(stage, {
      paymount: { clock: stage.clock },
      mount(app, paymount) {
        const { identity } = stage.login;
        const mount = { environment: 'test', issuer: ISSUER, requireTls: false } as const;
        app.use((request, _response, next) => {
          request.headers['accept-language'] = language;
          next();
        });
        app.use(paymount.oauthRouter({ ...mount, identity, appearance }));
      },
    });
    try {
      const browser = newBrowser(host.url);
      browser.keep(stage.login.logIn({ accounts: [ownAccount(stage)] }));
      const started = await browser.open(authorizePath(stage));
      return await browser.open(String(started.headers.location));
    } finally {
      await host.close();
    }
  }

  it('are in the language that the browser prefers, among those there are', async () => {
    for (const [language, expected] of [
      ['de-CH, en;q=0.5', 'de'],
      ['fr, de;q=0.4, en;q=0.3', 'de'],
      ['en;q=0.1, de;q=0', 'en'],
      ['', 'en'],
      ['*', 'en'],
      [',;q=,de;q=x', 'en'],
    ] as const) {
      const { text } = await look({}, language);
      expect(text, language).to.include(`<html lang="${expected}">`);
    }
    const { text } = await look({}, 'de');
    expect(text).to.include('Ledger app möchte auf Ihr Konto zugreifen');
    expect(text).to.include('Zahlungen und Erstattungen sehen');
  });

  it('have the name, the logo, the colors and the texts of the host', async () => {
    const { text, headers } = await look(
      {
        name: 'Shop & Co',
        logoUrl: 'https://cdn.example.com/logo.svg',
        colors: { accent: '#0b6e4f' },
        texts: { fr: { allow: 'Autoriser' }, de: { scopes: { 'charges:read': 'Umsätze sehen' } } },
      },
      'fr-FR',
    );
    expect(text).to.include('<html lang="fr">');
    expect(text).to.include('value="approve">Autoriser</button>');
    expect(text).to.include('value="deny" formnovalidate>Cancel</button>');
    expect(text).to.include('<img src="https://cdn.example.com/logo.svg" alt="">Shop &amp; Co');
    expect(text).to.include('--accent: #0b6e4f');
    expect(headers['content-security-policy']).to.include('img-src https://cdn.example.com;');
  });
});
