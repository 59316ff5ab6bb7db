import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, type Reply } from '../support/ask.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeKey } from '../support/credentials.ts';
import { openStream } from '../support/event-stream.ts';
import { formText } from '../support/form-text.ts';
import { type Document, fault, findContent } from '../support/openapi-document.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { pathTo, routeNamed, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';

const SALE = { amount: 500, currency: 'eur', source: 'tok_visa' };
/** Its answer is no JSON object. */
const STREAM = 'GET /v1/events/stream';

describe('what the OpenAPI document promises', () => {
  let app: TestApp;
  let document: Document;
  let own: Belongings;

  before(async () => {
    app = await startApp();
    document = (await ask(`${app.url}/v1/openapi.json`, { key: '' })).json as unknown as Document;
    const { paymount, account, url, secretKey: key } = app;
    const { id: spareKey } = await makeKey(paymount, account);
    const applications = await connectTwo(paymount, account);
    own = await makeBelongings({ url, key, spareKey, app, applications });
    await app.worker.drain();
  });
  after(() => app.close());

  /** Sends a request and holds its answer against the document. */
  async function send(route: V1Route, parameters: object, path = pathTo(route, own)) {
    const { name, method, pattern } = route;
    const key = app.secretKey;
    const url = app.url + path;
    const reply = await (method === 'POST'
      ? postForm(url, formText(parameters), { key })
      : ask(url, { method, key }));
    const operation = document.paths[pattern]?.[method.toLowerCase()];
    const schema = findContent(operation, reply.status, document)?.['application/json']?.schema;
    if (schema === undefined) throw new Error(`${name} does not describe ${reply.status}.`);
    expect(fault(reply.json, schema, document), `${name}: ${reply.text}`).to.equal(undefined);
    return reply;
  }

  const post = (path: string, parameters: object): Promise<Reply> =>
    send(routeNamed(V1_ROUTES, `POST ${path}`), parameters);

  it('holds where all that is optional is sent', async () => {
    const shipping = { name: 'A', address: { city: 'B' } };
    const texts = { statement_descriptor: 'SHOP 1', receipt_email: 'a@example.com' };
    const sale = { ...SALE, ...texts, shipping, metadata: { a: 'b' }, capture: false };
    const charge = (await post('/v1/charges', sale)).json['id'];
    const capture = routeNamed(V1_ROUTES, 'POST /v1/charges/{id}/capture');
    await send(capture, { amount: 100 }, `/v1/charges/${charge}/capture`);
    await post('/v1/refunds', { charge, amount: 1, reason: 'duplicate' });
    const update = routeNamed(V1_ROUTES, 'POST /v1/payment_methods/{id}');
    await send(update, { billing_details: { name: 'A' } });
    const url = 'http://127.0.0.1:9/';
    const made = await post('/v1/webhook_endpoints', { url, enabled_events: ['payout.*'] });
    const path = `/v1/webhook_endpoints/${made.json['id']}`;
    const endpoint = routeNamed(V1_ROUTES, 'POST /v1/webhook_endpoints/{id}');
    await send(endpoint, { disabled: true }, path);
    await send(endpoint, { disabled: false }, path);
    const rotate = routeNamed(V1_ROUTES, 'POST /v1/webhook_endpoints/{id}/rotate_secret');
    await send(rotate, { overlap_seconds: 0 }, `${path}/rotate_secret`);
    await post('/v1/test_helpers/events', { type: 'payout.paid', endpoint: made.json['id'] });
  });

  it('holds for each event of a stream', async () => {
    const path = '/v1/events/stream';
    const stream = await openStream(app.url + path, app.secretKey);
    await post('/v1/charges', SALE);
    const [event] = await stream.waitFor(1);
    stream.close();
    const content = findContent(document.paths[path]?.['get'], 200, document);
    const [[type = '', described] = []] = Object.entries(content ?? {});
    expect(stream.headers['content-type']).to.equal(`${type}; charset=utf-8`);
    const body = JSON.parse(event?.['data'] ?? '');
    expect(fault(body, described?.schema ?? {}, document), path).to.equal(undefined);
  });

  it('holds for what is expanded', async () => {
    const expand = ['payment_method', 'balance_transaction', 'refunds'];
    const { json } = await post('/v1/charges', { ...SALE, expand });
    expect(json['payment_method']).to.be.an('object');
    expect(json['refunds']).to.be.an('object');
    const refund = { charge: json['id'], amount: 1, expand: ['charge.balance_transaction'] };
    expect((await post('/v1/refunds', refund)).json['charge']).to.be.an('object');
  });

  it('holds for refusals', async () => {
    const declined = await post('/v1/charges', { ...SALE, source: 'tok_visa_chargeDeclined' });
    expect(declined.status).to.equal(402);
    expect((await post('/v1/charges', { amount: 'x' })).status).to.equal(400);
    for (const name of ['GET /v1/charges/{id}', 'POST /v1/refunds/{id}/cancel']) {
      const route = routeNamed(V1_ROUTES, name);
      expect((await send(route, {}, route.path)).status).to.equal(404);
    }
  });

  describe('holds for a good answer of every route', () => {
    // Reads first: what is deleted cannot be read.
    const order = ['GET', 'POST', 'DELETE'];
    const sorted = V1_ROUTES.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
    for (const route of sorted.filter(({ name }) => name !== STREAM)) {
      it(route.name, async () => {
        const reply = await send(route, route.body?.(own, false) ?? {});
        expect(reply.status, reply.text).to.equal(Number.parseInt(route.answer ?? '200', 10));
        if (route.lists) expect(reply.json['data']).to.be.an('array').that.is.not.empty;
      });
    }
  });
});
