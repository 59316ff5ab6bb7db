import { expect } from 'chai';
import type { HostUser, Identity } from 'paymount';
import { newBrowser } from '../support/browser.ts';
import { startHost } from '../support/host.ts';
import { ISSUER, type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';
import { writtenLog } from '../support/written-log.ts';
import { authorizePath } from './consent-setup.ts';

const HOST_USER: HostUser = {
  userId: 'user-1',
  displayName: 'Ada Merchant',
  sessionRef: 's1',
  authTime: new Date(),
  accounts: [],
};

describe("The host's login on the pages of OAuth", () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  /** What a browser sees of a host with this login, and what the host logs as an error. */
  async function visit(identity: Partial<Identity>) {
    const log = writtenLog();
    const host = await startHost(setup, {
      paymount: { logger: log.logger, clock: setup.clock },
      mount(app, paymount) {
        const login = { current: async () => null, loginUrl: () => '/login', ...identity };
        const mount = { environment: 'test', issuer: ISSUER, requireTls: false } as const;
        app.use(paymount.oauthRouter({ ...mount, identity: login }));
      },
    });
    try {
      const browser = newBrowser(host.url);
      const started = await browser.open(authorizePath(setup));
      const { status, headers, text } = await browser.open(String(started.headers.location));
      const [, message, advice] = /<h1>.*<\/h1>\n<p>(.*?)<\/p>\n<p>(.*?)<\/p>/.exec(text) ?? [];
      return { status, headers, message, advice, log: log.text() };
    } finally {
      await host.close();
    }
  }

  it('that fails or takes over 5 seconds gets 503', async () => {
    const reject = () => Promise.reject(new Error('The session store is down.'));
    const failed = await visit({ current: reject });
    const message = 'The page is not available at the moment.';
    expect([failed.status, failed.message]).to.deep.equal([503, message]);
    expect(failed.headers['retry-after']).to.equal('1');
    expect(failed.advice).to.equal('Wait a moment, then reload this page.');
    const slow = await visit({ current: () => new Promise(() => undefined) });
    expect(slow.status).to.equal(503);
  });

  it('that returns something else gets 500, and the log names the fault', async () => {
    for (const [hostUser, fault] of [
      [{ ...HOST_USER, userId: '' }, 'userId is a text'],
      [{ ...HOST_USER, userId: 'two\nlines' }, 'userId is a text'],
      [{ ...HOST_USER, sessionRef: '' }, 'sessionRef is a text'],
      [{ ...HOST_USER, authTime: new Date(Number.NaN) }, 'authTime is a valid Date'],
      [{ ...HOST_USER, displayName: undefined }, 'displayName is a text'],
      [{ ...HOST_USER, accounts: [{ id: 'x', name: 'X', role: 'owner' }] }, 'accounts are'],
      [undefined, 'returned'],
    ] as const) {
      const current = async () => hostUser as HostUser;
      const { status, log, message, advice = '' } = await visit({ current });
      expect([status, log.includes(fault)], fault).to.deep.equal([500, true]);
      expect(message).not.to.include(fault);
      const [request = 'none'] = /req_[0-9a-z]{26}/.exec(advice) ?? [];
      expect(advice).to.equal(
        `If this happens again, contact support and name the request ${request}.`,
      );
      expect(log).to.include(request);
    }
  });

  it('has an address that is a path or an http(s) URL', async () => {
    const at = async (url: string) => (await visit({ loginUrl: () => url })).headers.location;
    expect(await at('/login?x=1')).to.equal('/login?x=1');
    expect(await at('https://login.example.com/')).to.equal('https://login.example.com/');
    for (const url of [
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/a\r\nX: 1',
      '',
    ]) {
      const { status, headers } = await visit({ loginUrl: () => url });
      expect([status, headers.location], url).to.deep.equal([500, undefined]);
    }
  });

  it('is needed to mount them, and so are looks that can be read', () => {
    const mount = (more: object) => () =>
      setup.paymount.oauthRouter({ environment: 'test', issuer: ISSUER, ...more } as never);
    const { identity } = setup.login;
    expect(mount({})).to.throw(TypeError, /needs the functions `current` and `loginUrl`/);
    expect(mount({ identity: { current: () => null } })).to.throw(TypeError, /`loginUrl`/);
    const colors = (given: object) => mount({ identity, appearance: { colors: given } });
    expect(colors({ accent: '#1f4fd8' })).not.to.throw();
    expect(colors({ accent: 'blue' })).to.throw(TypeError, 'appearance.colors.accent');
    expect(colors({ text: '#aaaaaa' })).to.throw(TypeError, 'has a contrast of 2.3');
    expect(mount({ identity, appearance: { logoUrl: 'http://x.example/a.png' } })).to.throw(
      TypeError,
      'appearance.logoUrl',
    );
  });
});
