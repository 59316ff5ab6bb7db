import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { postJson } from '../support/ask.ts';

describe('An endpoint at the host itself', () => {
  let app: TestApp;

  before(async () => {
    app = await startApp({
      paymount: { egress: { ownHosts: ['api.example.com', '93.184.216.34'] } },
    });
  });

  after(() => app.close());

  for (const url of ['https://API.example.com/webhooks', 'https://93.184.216.34:8443/']) {
    it(`is refused when it is registered as ${url}`, async () => {
      const reply = await postJson(
        `${app.url}/v1/webhook_endpoints`,
        { url, enabled_events: ['*'] },
        { key: app.secretKey },
      );
      expect(reply.status).to.equal(400);
      expect(reply.error).to.include({
        code: 'url_not_allowed',
        message: 'The host is this service itself; use the host of your receiver.',
        param: 'url',
      });
    });
  }

  it('is refused when an endpoint is moved there', async () => {
    const endpoints = `${app.url}/v1/webhook_endpoints`;
    const body = { url: 'https://hooks.example.com/', enabled_events: ['*'] };
    const made = await postJson(endpoints, body, { key: app.secretKey });
    const moved = await postJson(
      `${endpoints}/${String(made.json['id'])}`,
      { url: 'https://api.example.com/' },
      { key: app.secretKey },
    );
    expect(moved.status, moved.text).to.equal(400);
    expect(moved.error).to.include({ code: 'url_not_allowed' });
  });
});
