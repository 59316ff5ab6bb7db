import { expect } from 'chai';
import { ask, FORM, type Reply } from '../support/ask.ts';
import { newBrowser } from '../support/browser.ts';
import { hangingRequests } from '../support/hanging-requests.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';
import { authorizePath } from './consent-setup.ts';

const MINUTE_MS = 60_000;

describe('The limits of OAuth', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup({
      paymount: {
        rateLimit: { platform: { requests: 5, seconds: 60 } },
        trustedProxies: ['127.0.0.1'],
      },
    });
  });
  after(() => setup.close());
  beforeEach(() => setup.clock.advance(10 * MINUTE_MS));

  const guess = (address: string): Promise<Reply> =>
    setup.post(
      'token',
      { grant_type: 'authorization_code', code: 'x', client_secret: 'ocs_pm_guess' },
      { headers: { 'x-forwarded-for': address } },
    );

  it('stop guesses of client secrets from one address (O12; RFC 6749, 10.10)', async () => {
    const statuses = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await guess('203.0.113.1')).status);
    expect(statuses).to.deep.equal([...Array.from({ length: 20 }, () => 401), 429]);
    const refused = await guess('203.0.113.1');
    expect(refused.json['error']).to.equal('temporarily_unavailable');
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
    expect((await guess('203.0.113.2')).status).to.equal(401);
  });

  it('stop an address that opens page after page, and no other (RFC 6749, 10.11)', async () => {
    const open = (address: string): Promise<Reply> =>
      ask(setup.url + authorizePath(setup), {
        key: '',
        headers: { 'x-forwarded-for': address },
      });
    const statuses = [];
    for (let count = 0; count < 31; count += 1) statuses.push((await open('203.0.113.1')).status);
    expect(statuses).to.deep.equal([...Array.from({ length: 30 }, () => 303), 429]);
    const { headers, text } = await open('203.0.113.1');
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(Number(headers['retry-after'])).to.be.within(1, 60);
    expect(text).to.include('Too many pages were opened from your network.');
    expect((await open('203.0.113.2')).status).to.equal(303);
    setup.clock.advance(MINUTE_MS);
    expect((await open('203.0.113.1')).status).to.equal(303);
  });

  const askFrom = (address: string, parameters: Record<string, string> = {}): Promise<Reply> =>
    setup.post(
      'token',
      { grant_type: 'refresh_token', refresh_token: 'ort_none', ...parameters },
      { headers: { 'x-forwarded-for': address } },
    );

  it('refuse a body of more than 16 KiB before it is parsed', async () => {
    const { status, json } = await askFrom('203.0.113.1', { state: 'x'.repeat(16_384) });
    expect([status, json['error_description']]).to.deep.equal([
      413,
      'The body has more than 16,384 bytes.',
    ]);
    expect((await askFrom('203.0.113.1', { state: 'x'.repeat(8_192) })).status).to.equal(400);
  });

  it('count a public platform by address, so that strangers who name it take nothing from its users', async () => {
    const { id } = await setup.newPlatform({ type: 'public' });
    const named = { client_id: id, client_secret: '' };
    const statuses = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await askFrom('203.0.113.1', named)).status);
    }
    expect(statuses).to.deep.equal([...Array.from({ length: 5 }, () => 400), 429]);
    expect((await askFrom('203.0.113.2', named)).status).to.equal(400);
  });

  it('count a confidential platform wherever it asks from', async () => {
    const statuses = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await askFrom(`203.0.113.${count}`)).status);
    }
    expect(statuses).to.deep.equal([...Array.from({ length: 5 }, () => 400), 429]);
  });

  it('read the bodies of 20 requests of an address at once, and those of others meanwhile', async () => {
    const hanging = { port: setup.port, path: '/oauth/token', address: '203.0.113.1' };
    const close = await hangingRequests({ ...hanging, type: FORM['content-type'] }, 30);
    try {
      expect((await askFrom('203.0.113.2')).status).to.equal(400);
      expect((await askFrom('203.0.113.1')).status).to.equal(503);
    } finally {
      close();
    }
  });
});

describe('A token of OAuth in the wrong place (O13)', () => {
  let setup: OAuthSetup;
  let token: string;

  before(async () => {
    setup = await startOAuthSetup();
    token = String((await setup.connect())['access_token']);
  });
  after(() => setup.close());

  it('is refused in a URL, also in that of a page (RFC 9700, 4.3.2)', async () => {
    for (const path of [
      `/v1/charges?access_token=${token}`,
      `/oauth/authorize?client_id=${setup.platform.id}&state=${token}`,
    ]) {
      const { status, headers } = await newBrowser(setup.url).open(path);
      expect([status, headers.location], path).to.deep.equal([400, undefined]);
    }
  });
});
