import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import express4 from 'express4';
import type { Router } from '../../../packages/paymount/src/mount/mounted-router.ts';
import { ask, JSON_TYPE, type Reply } from '../../support/ask.ts';
import { type MountedApi, mountApi } from './mounted-api.ts';

/** A body that no parser takes. */
const BROKEN = { method: 'POST', body: '{"amount":', headers: JSON_TYPE } as const;

/** Each way to mount, at `/pay`, with a JSON parser of the host's before it. */
const WAYS: Record<string, (framework: typeof express, router: Router) => express.Express> = {
  'app.use(path, router)': (framework, router) => {
    const app = framework();
    return app.use(framework.json()).use('/pay', router);
  },
  'app.use([path, path], router)': (framework, router) => {
    const app = framework();
    return app.use(framework.json()).use(['/other', '/pay'], router);
  },
  'app.use(router) in an app that is mounted': (framework, router) => {
    const inner = framework().use(framework.json()).use(router);
    return framework().use('/pay', inner);
  },
  'a router of Express, with router.bodyErrors': (framework, router) => {
    const routes = framework.Router().use(framework.json());
    return framework().use(routes.use('/pay', router, router.bodyErrors));
  },
};

describe('the router, mounted', () => {
  for (const [version, framework] of [
    ['Express 5', express],
    ['Express 4', express4],
  ] as const) {
    for (const [way, mount] of Object.entries(WAYS)) {
      it(`answers under ${version} by ${way}, and leaves the rest to the host`, async () => {
        const api = await mountApi({
          mount: (router) => {
            const app = mount(framework as typeof express, router);
            return app.get('/pay/shop', (_request, response) => void response.send('the shop'));
          },
        });
        const list = await ask(`${api.url}/pay/v1/webhook_endpoints`, { key: '' });
        const broken = await ask(`${api.url}/pay/v1/charges`, BROKEN);
        const shop = await fetch(`${api.url}/pay/shop`);
        await api.close();
        expect([list.status, list.error['code']]).to.deep.equal([401, 'api_key_missing']);
        expect([broken.status, broken.error['code']]).to.deep.equal([400, 'invalid_json']);
        expect(await shop.text()).to.equal('the shop');
      });
    }
  }
});

describe('the path that a router is mounted at', () => {
  const LEADS_ON =
    'There is no route here. Routes are below /v1/, and /v1/openapi.json lists them.';

  for (const [version, framework] of [
    ['Express 5', express],
    ['Express 4', express4],
  ] as const) {
    it(`is answered 404 under ${version}, with where the routes are`, async () => {
      const api = await mountApi({
        mount: (router) => (framework as typeof express)().use('/pay', router).use(router),
      });
      const paths = ['/pay', '/pay/', '/pay/?page=1', '/pay/v1', '/pay/v1/', '/v1'];
      const replies = await Promise.all(paths.map((path) => ask(api.url + path, { key: '' })));
      await api.close();
      for (const [index, { status, error }] of replies.entries()) {
        const said = [status, error['code'], error['message']];
        expect(said, paths[index]).to.deep.equal([404, 'route_missing', LEADS_ON]);
      }
    });

    it(`is the host's under ${version} where the router has no path of its own`, async () => {
      const api = await mountApi({
        mount(router) {
          const shop = (framework as typeof express)().use(router);
          shop.get('/', (_request, response) => void response.send('the shop'));
          return (framework as typeof express)().use('/shop', shop).use(shop);
        },
      });
      const pages = await Promise.all(
        ['/shop', '/shop/', '/'].map((path) => fetch(api.url + path)),
      );
      const texts = await Promise.all(pages.map((page) => page.text()));
      await api.close();
      expect(texts).to.deep.equal(['the shop', 'the shop', 'the shop']);
    });
  }
});

describe('the router as the whole of a server', () => {
  let api: MountedApi;
  let router: Router;

  before(async () => {
    api = await mountApi({
      mount(made) {
        router = made;
        return express().use(made);
      },
    });
  });

  after(() => api.close());

  async function askServer(listener: RequestListener, path: string): Promise<Reply> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      return await ask(`http://127.0.0.1:${port}${path}`, { key: '' });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  it('is what http.createServer takes', async () => {
    const reply = await askServer(router, '/v1/webhook_endpoints');
    expect([reply.status, reply.error['code']]).to.deep.equal([401, 'api_key_missing']);
  });

  it('answers 404 to an unknown path, because there is no other handler', async () => {
    for (const listener of [
      router,
      ((request, response) => router(request, response)) satisfies RequestListener,
    ]) {
      const reply = await askServer(listener, '/shop');
      expect([reply.status, reply.error['code']]).to.deep.equal([404, 'route_missing']);
    }
  });
});
