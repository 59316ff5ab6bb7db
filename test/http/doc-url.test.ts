import { expect } from 'chai';
import type express from 'express';
import { hostSessionAdmin, type Paymount } from 'paymount';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { readPage } from '../support/read-pages.ts';

const SOURCES = 'https://github.com/paymount/paymount/blob/main/docs/reference/errors.md';
const OURS = 'https://docs.example.com/payments/errors?v=1&lang="de"'.replaceAll('"', '%22');

/** A mount at a path of the host's, with its management API. */
function mountAt(path: string, apiPage?: boolean) {
  return (app: express.Express, paymount: Paymount): void => {
    app.use(
      path,
      paymount.router({ environment: 'test', ...(apiPage !== undefined && { apiPage }) }),
    );
    const authenticate = hostSessionAdmin(() => undefined);
    app.use('/admin', paymount.managementRouter({ authenticate, requireTls: false }));
    app.use(paymount.leakRouter({ requireTls: false }));
  };
}

describe('doc_url', () => {
  const apps: TestApp[] = [];
  const start = async (...args: Parameters<typeof startApp>): Promise<TestApp> => {
    const app = await startApp(...args);
    apps.push(app);
    return app;
  };
  after(async () => {
    for (const app of apps) await app.close();
  });

  const wrong = (app: TestApp, path: string) =>
    request(app.url).post(`${path}/v1/charges`).auth(app.secretKey, '').send({ amount: 0 });

  it('points to the page of the sources by default', async () => {
    const app = await start({ mount: mountAt('/pay') });
    const { body } = await wrong(app, '/pay');
    expect(body.error.doc_url).to.equal(`${SOURCES}#${body.error.code}`);
    const page = await request(app.url).get('/pay/v1/docs');
    expect([page.status, page.body.error.code]).to.deep.equal([404, 'route_missing']);
  });

  it('points to the address of the option, from every router and for stored answers', async () => {
    const app = await start({ paymount: { docUrl: OURS }, mount: mountAt('/pay') });
    const { body } = await wrong(app, '/pay');
    expect(body.error.doc_url).to.equal(`${OURS}#${body.error.code}`);
    const declined = { amount: 1, currency: 'eur', payment_method: 'pm_card_visa_chargeDeclined' };
    const pay = () =>
      request(app.url)
        .post('/pay/v1/charges')
        .auth(app.secretKey, '')
        .set('Idempotency-Key', 'k-declined')
        .send(declined);
    const first = await pay();
    expect(first.body.error.doc_url).to.equal(`${OURS}#card_declined`);
    const again = await pay();
    expect([again.headers['idempotent-replayed'], again.text]).to.deep.equal(['true', first.text]);
    const admin = await request(app.url).get('/admin/accounts');
    expect(admin.body.error.doc_url).to.equal(`${OURS}#${admin.body.error.code}`);
    const leak = await request(app.url).post('/leaks/github').send('[]');
    expect(leak.body.error.doc_url).to.equal(`${OURS}#${leak.body.error.code}`);
  });

  it('is left alone where a merchant has written it', async () => {
    const app = await start({ paymount: { docUrl: OURS }, mount: mountAt('/pay') });
    const metadata = { doc_url: `${SOURCES}#mine` };
    const sale = { amount: 1, currency: 'eur', payment_method: 'pm_card_visa', metadata };
    const { body } = await request(app.url)
      .post('/pay/v1/charges')
      .auth(app.secretKey, '')
      .send(sale)
      .expect(200);
    expect(body.metadata).to.deep.equal(metadata);
  });

  it('points into the page of the API, which the mount serves when it is on', async () => {
    const app = await start({ mount: mountAt('/a/pay', true) });
    const { body } = await wrong(app, '/a/pay');
    expect(body.error.doc_url).to.equal(`/a/pay/v1/docs#${body.error.code}`);
    const page = await request(app.url).get('/a/pay/v1/docs').expect(200);
    expect(page.headers).to.include({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(page.headers['content-security-policy']).to.include("default-src 'none'");
    const explained = [...page.text.matchAll(/<h3 id="(\w+)">/g)].map(([, code]) => code);
    const codes = [...readPage('docs/reference/errors.md').text.matchAll(/^### (\w+)$/gm)];
    expect(codes.length).to.be.greaterThan(50);
    expect(explained).to.have.members(codes.map(([, code]) => code));
    expect(page.text).to.include(
      '<code>/v1/charges/:id/capture</code><td>Capture an authorized charge',
    );
    expect(page.text).to.include('href="openapi.json"');
    await request(app.url).get('/a/pay/v1/openapi.json').expect(200);
    const stripe = await request(app.url).get('/a/pay/v1/docs').set('Stripe-Version', '2024-06-20');
    expect([stripe.status, stripe.text]).to.deep.equal([200, page.text]);
    await request(app.url).post('/a/pay/v1/docs').expect(404);
  });

  it('points to the address of the option also when the page is on', async () => {
    const app = await start({ paymount: { docUrl: OURS }, mount: mountAt('/pay', true) });
    const { body } = await wrong(app, '/pay');
    expect(body.error.doc_url).to.equal(`${OURS}#${body.error.code}`);
    await request(app.url).get('/pay/v1/docs').expect(200);
  });
});
