import { expect } from 'chai';
import { Router } from 'express';
import { hostSessionAdmin } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';

describe('the address in a document that is served', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp({
      mount(host, paymount) {
        const nested = Router();
        nested.use('/payments', paymount.router({ environment: 'test' }));
        host.use('/shop', nested);
        const authenticate = hostSessionAdmin(() => undefined);
        host.use('/admin', paymount.managementRouter({ authenticate }));
        host.use(paymount.router({ environment: 'test' }));
      },
    });
  });
  after(() => app.close());

  const serversAt = async (path: string): Promise<unknown> =>
    (await ask(app.url + path, { key: '' })).json['servers'];

  it('is the mount, however deep it is', async () => {
    expect(await serversAt('/shop/payments/v1/openapi.json')).to.deep.equal([
      { url: '/shop/payments' },
    ]);
    expect(await serversAt('/shop/payments/v1/openapi.json?x=1')).to.deep.equal([
      { url: '/shop/payments' },
    ]);
    expect(await serversAt('/admin/openapi.json')).to.deep.equal([{ url: '/admin' }]);
  });

  it('is the root for a mount at the root', async () => {
    expect(await serversAt('/v1/openapi.json')).to.deep.equal([{ url: '/' }]);
  });

  it('makes it as long for HEAD as for GET', async () => {
    const url = `${app.url}/v1/openapi.json`;
    const { text } = await ask(url, { key: '' });
    const { headers } = await ask(url, { key: '', method: 'HEAD' });
    expect(headers['content-length']).to.equal(String(Buffer.byteLength(text)));
  });
});
