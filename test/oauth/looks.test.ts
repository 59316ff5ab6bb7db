import { expect } from 'chai';
import { newBrowser } from '../support/browser.ts';
import { startHost } from '../support/host.ts';
import { ISSUER, type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';
import { authorizePath, ownAccount } from './consent-setup.ts';

describe('The looks of the pages of OAuth', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  /** The page of a host with these looks, in a browser with this language. */
  async function look(appearance: object, language: string) {
    const host = await startHost(setup, {
      paymount: { clock: setup.clock },
      mount(app, paymount) {
        const { identity } = setup.login;
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
      browser.keep(setup.login.logIn({ accounts: [ownAccount(setup)] }));
      const started = await browser.open(authorizePath(setup));
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

  it('take the texts of a wider language where a narrower one has none', async () => {
    const texts = { 'de-AT': { allow: 'Genehmigen' }, de: { cancel: 'Nein' } };
    const { text } = await look({ texts }, 'de-AT');
    expect(text).to.include('<html lang="de-at">');
    expect(text).to.include('value="approve">Genehmigen</button>');
    expect(text).to.include('value="deny" formnovalidate>Nein</button>');
    expect(text).to.include('möchte auf Ihr Konto zugreifen');
  });

  it('are refused at the start if a name or a placeholder is wrong', async () => {
    for (const [appearance, message] of [
      [{ texts: { en: { titel: 'x' } } }, '`appearance.texts.en.titel` is unknown. Known: title, '],
      [
        { texts: { en: { title: 'Allow access?' } } },
        '`appearance.texts.en.title` must contain {platform}, as the English text does.',
      ],
      [
        { texts: { fr: { allow: 'Autoriser {plateforme}' } } },
        '`appearance.texts.fr.allow` must contain no placeholder, as the English text does.',
      ],
      [{ texts: { en: { errors: { x: 'y' } } } }, '`appearance.texts.en.errors.x` is unknown.'],
      [{ texts: { en: { scopes: 'all' } } }, '`appearance.texts.en.scopes` is an object of texts.'],
      [
        { texts: { en: { allow: '' } } },
        '`appearance.texts.en.allow` is a text that is not empty.',
      ],
      [{ texts: { 'not a tag': {} } }, '`appearance.texts`: not a tag is no language'],
      [{ colors: { primary: '#000000' } }, '`appearance.colors.primary` is unknown. Known: '],
    ] as const) {
      const refusal = await look(appearance, 'en').catch(String);
      expect(refusal).to.include(message);
    }
  });
});
