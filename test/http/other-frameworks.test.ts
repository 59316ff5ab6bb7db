import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import middie from '@fastify/middie';
import { expect } from 'chai';
import connect from 'connect';
import express from 'express';
import Fastify from 'fastify';
import type { Paymount } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson } from '../support/ask.ts';

type Router = ReturnType<Paymount['router']>;

/** A host with a page of its own at `/shop`, and where the router is mounted in it. */
interface Host {
  readonly mount: string;
  readonly listen: (router: Router) => Promise<Server>;
}

async function listening(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const HOSTS: Readonly<Record<string, Host>> = {
  'http.createServer': {
    mount: '',
    listen: (router) =>
      listening(
        createServer((request, response) => {
          router(request, response, () => response.end('the shop'));
        }),
      ),
  },
  Connect: {
    mount: '/payments',
    listen(router) {
      const app = connect();
      app.use('/payments', router);
      app.use('/shop', (_request, response) => response.end('the shop'));
      return listening(createServer(app));
    },
  },
  'Connect, behind a body parser': {
    mount: '/payments',
    listen(router) {
      const app = connect();
      app.use(express.json());
      app.use('/payments', router);
      app.use('/payments', router.bodyErrors);
      app.use('/shop', (_request, response) => response.end('the shop'));
      return listening(createServer(app));
    },
  },
  'Fastify, before its routes': {
    mount: '',
    async listen(router) {
      const app = Fastify({
        serverFactory: (handler) =>
          createServer((request, response) => {
            router(request, response, () => handler(request, response));
          }),
      });
      app.get('/shop', () => 'the shop');
      await app.listen({ port: 0, host: '127.0.0.1' });
      return app.server;
    },
  },
  'Fastify with @fastify/middie': {
    mount: '/payments',
    async listen(router) {
      const app = Fastify();
      await app.register(middie);
      app.use('/payments', router);
      app.get('/shop', () => 'the shop');
      await app.listen({ port: 0, host: '127.0.0.1' });
      return app.server;
    },
  },
};

describe('the router in other frameworks', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  for (const [name, { mount, listen }] of Object.entries(HOSTS)) {
    it(`charges, lists and refuses in ${name}, and leaves the rest to the host`, async () => {
      const server = await listen(app.paymount.router({ environment: 'test' }));
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const api = `${origin}${mount}/v1`;
      const key = app.secretKey;
      try {
        const card = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
        const charge = await postJson(`${api}/charges`, card, { key });
        expect([charge.status, charge.json['status']]).to.deep.equal([200, 'succeeded']);
        const list = await ask(`${api}/charges?limit=1`, { key });
        expect(list.json).to.include({ object: 'list', url: '/v1/charges' });
        expect(list.json['data']).to.deep.equal([charge.json]);
        const refused = await postJson(`${api}/charges`, '{"amount":', { key });
        expect([refused.status, refused.error['code']]).to.deep.equal([400, 'invalid_json']);
        const document = await ask(`${api}/openapi.json`, { key: '' });
        expect(document.json['servers']).to.deep.include({ url: mount === '' ? '/' : mount });
        expect(await (await fetch(`${origin}/shop`)).text()).to.equal('the shop');
      } finally {
        server.close();
        server.closeAllConnections();
      }
    });
  }
});
