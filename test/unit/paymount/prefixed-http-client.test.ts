import { once } from 'node:events';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { prefixedHttpClient } from 'paymount/receiver';
import Stripe from 'stripe';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const servers: Server[] = [];

/** An SDK pointed at a loopback server; `seen` collects method, path and idempotency key. */
async function sdk(reply: Answer, options: Stripe.StripeConfig = {}) {
  const seen: { call: string; key: unknown }[] = [];
  const server = http.createServer((request, response) => {
    seen.push({
      call: `${request.method} ${request.url}`,
      key: request.headers['idempotency-key'],
    });
    reply(request, response);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const stripe = new Stripe(['sk', 'test', 'x'].join('_'), {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    httpClient: prefixedHttpClient('/payments', Stripe),
    ...options,
  });
  return { stripe, seen };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1' });
  response.end(JSON.stringify(body));
}

async function failure(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    expect(error).to.be.instanceOf(Stripe.errors.StripeError);
    return error as Stripe.errors.StripeError;
  }
  throw new Error('The call succeeded.');
}

describe('prefixedHttpClient', () => {
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  it('puts the prefix before every path, auto-pagination included', async () => {
    const pages = [
      { object: 'list', url: '/v1/charges', has_more: true, data: [{ id: 'ch_2' }] },
      { object: 'list', url: '/v1/charges', has_more: false, data: [{ id: 'ch_1' }] },
    ];
    const { stripe, seen } = await sdk((_, response) => json(response, 200, pages.shift() ?? {}));
    const ids: string[] = [];
    for await (const charge of stripe.charges.list({ limit: 1 })) ids.push(charge.id);
    expect(ids).to.deep.equal(['ch_2', 'ch_1']);
    expect(seen.map(({ call }) => call)).to.deep.equal([
      'GET /payments/v1/charges?limit=1',
      'GET /payments/v1/charges?limit=1&starting_after=ch_2',
    ]);
  });

  it('gives status, headers and body to the SDK, errors included', async () => {
    const { stripe } = await sdk((request, response) =>
      request.url === '/payments/v1/charges/ch_1'
        ? json(response, 200, { id: 'ch_1', note: 'café 😀' })
        : json(response, 404, {
            error: { type: 'invalid_request_error', code: 'resource_missing', message: 'None.' },
          }),
    );
    const charge = await stripe.charges.retrieve('ch_1');
    expect(charge).to.deep.include({ id: 'ch_1', note: 'café 😀' });
    expect(charge.lastResponse).to.include({ requestId: 'req_1', statusCode: 200 });
    expect(charge.lastResponse.headers['content-type']).to.equal('application/json');
    const error = await failure(stripe.charges.retrieve('ch_2'));
    expect(error).to.include({ statusCode: 404, code: 'resource_missing', requestId: 'req_1' });
    expect(error).to.be.instanceOf(Stripe.errors.StripeInvalidRequestError);
  });

  it('sends form bodies with their idempotency key', async () => {
    let sent = '';
    const { stripe } = await sdk(async (request, response) => {
      for await (const chunk of request) sent += String(chunk);
      json(response, 200, { id: 'ch_1' });
    });
    await stripe.charges.create({ amount: 4200, currency: 'eur', metadata: { a: 'b' } });
    expect(sent).to.equal('amount=4200&currency=eur&metadata[a]=b');
  });

  it('lets the SDK retry a cut answer with the same idempotency key', async () => {
    let calls = 0;
    const { stripe, seen } = await sdk((_, response) => {
      calls += 1;
      if (calls === 1) {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"id":', () => response.destroy());
      } else {
        json(response, 200, { id: 'ch_1' });
      }
    });
    expect((await stripe.charges.create({ amount: 1, currency: 'eur' })).id).to.equal('ch_1');
    expect(seen).to.have.length(2);
    expect(seen[0]?.key).to.be.a('string').and.equal(seen[1]?.key);
  });

  it('reports a time-out, an answer that is not JSON, and a refused connection', async () => {
    const hanging = await sdk(() => undefined, { timeout: 50, maxNetworkRetries: 0 });
    const timedOut = await failure(hanging.stripe.balance.retrieve());
    expect(timedOut).to.be.instanceOf(Stripe.errors.StripeConnectionError);
    expect(timedOut.message).to.equal('Request aborted due to timeout being reached (50ms)');

    const html = await sdk((_, response) => response.end('<html>'));
    expect(await failure(html.stripe.balance.retrieve())).to.be.instanceOf(
      Stripe.errors.StripeAPIError,
    );

    const cutOff = await sdk(
      (_, response) => response.writeHead(200, { 'content-length': '9' }).write('{'),
      { timeout: 50, maxNetworkRetries: 0 },
    );
    expect(await failure(cutOff.stripe.balance.retrieve())).to.be.instanceOf(
      Stripe.errors.StripeConnectionError,
    );

    const refused = await sdk(() => undefined, { port: 1, maxNetworkRetries: 0 });
    expect(await failure(refused.stripe.balance.retrieve())).to.be.instanceOf(
      Stripe.errors.StripeConnectionError,
    );
  });

  it('follows no redirect, which could send the key elsewhere', async () => {
    const { stripe, seen } = await sdk((_, response) => {
      response.writeHead(308, { location: '/elsewhere' });
      response.end('{}');
    });
    await stripe.charges.create({ amount: 1, currency: 'eur' });
    expect(seen.map(({ call }) => call)).to.deep.equal(['POST /payments/v1/charges']);
  });

  it('takes a path with or without a final slash, and refuses what is not a path', () => {
    for (const prefix of ['/payments', '/payments/', '/a/b', '/', '']) {
      expect(() => prefixedHttpClient(prefix, Stripe), prefix).to.not.throw();
    }
    for (const prefix of ['payments', 'https://x.com/a', '/a?b', '/a#b', '/a b', '//a']) {
      expect(() => prefixedHttpClient(prefix, Stripe), prefix).to.throw(TypeError, 'is not a path');
    }
  });
});
