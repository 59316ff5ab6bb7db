import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, postForm, type Reply } from '../support/ask.ts';
import { openStream } from '../support/event-stream.ts';
import { answerOf, type Document, fault } from '../support/openapi-document.ts';

describe('what the OpenAPI document promises', () => {
  let app: TestApp;
  let document: Document;
  let asked: Set<string>;

  before(async () => {
    app = await startApp();
    document = (await ask(`${app.url}/v1/openapi.json`, { key: '' })).json as unknown as Document;
    asked = new Set();
  });
  after(() => app.close());

  /** Sends a request and holds its answer against the document. */
  async function send(method: string, pattern: string, id = '', form = ''): Promise<Reply> {
    const [first = '', second = ''] = id.split('/');
    const url = app.url + pattern.replace('{id}', first).replace('{refund}', second);
    const more: Ask = { method, key: app.secretKey };
    const reply = await (method === 'POST' ? postForm(url, form, more) : ask(url, more));
    const operation = document.paths[pattern]?.[method.toLowerCase()];
    const schema = answerOf(operation, reply.status, document)?.['application/json']?.schema;
    if (schema === undefined)
      throw new Error(`${method} ${pattern} does not describe ${reply.status}.`);
    expect(fault(reply.json, schema, document), `${method} ${pattern}: ${reply.text}`).to.equal(
      undefined,
    );
    if (reply.status === 200) asked.add(`${method} ${pattern}`);
    return reply;
  }

  const made = async (path: string, form: string): Promise<string> =>
    String((await send('POST', path, '', form)).json['id']);

  it('holds for a good answer of every route', async () => {
    const sale = 'amount=500&currency=eur&source=tok_visa&metadata[a]=b';
    const shipping = 'shipping[name]=A&shipping[address][city]=B&statement_descriptor=SHOP+1';
    const charge = await made('/v1/charges', `${sale}&${shipping}&receipt_email=a@example.com`);
    const authorized = await made('/v1/charges', `${sale}&capture=false`);
    const released = await made('/v1/charges', `${sale}&capture=false`);
    await send('POST', '/v1/charges/{id}', charge, 'description=x');
    await send('POST', '/v1/charges/{id}/capture', authorized, 'amount=100');
    await send('POST', '/v1/charges/{id}/cancel', released);
    const refund = await made('/v1/refunds', `charge=${charge}&amount=1&reason=duplicate`);
    await send('POST', '/v1/refunds/{id}', refund, 'metadata[a]=b');
    await send('POST', '/v1/charges/{id}/refunds', charge, 'amount=1');
    await send('GET', '/v1/charges/{id}/refunds', charge);
    await send('GET', '/v1/charges/{id}/refunds/{refund}', `${charge}/${refund}`);
    await send('POST', '/v1/charges/{id}/refunds/{refund}', `${charge}/${refund}`, 'metadata[a]=b');
    await send('POST', '/v1/charges/{id}/refund', charge, 'amount=1');
    const method = await made('/v1/payment_methods', 'type=card&card[token]=tok_visa');
    await send('POST', '/v1/payment_methods/{id}', method, 'billing_details[name]=A');
    const card = 'card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2044';
    const token = await made('/v1/tokens', card);
    const endpoint = await made(
      '/v1/webhook_endpoints',
      'url=http%3A%2F%2F127.0.0.1%3A9%2F&enabled_events[]=payout.*',
    );
    await send('POST', '/v1/webhook_endpoints/{id}', endpoint, 'disabled=true');
    await send('POST', '/v1/webhook_endpoints/{id}/rotate_secret', endpoint, 'overlap_seconds=0');
    for (const [path, id] of [
      ['/v1/charges/{id}', charge],
      ['/v1/refunds/{id}', refund],
      ['/v1/payment_methods/{id}', method],
      ['/v1/tokens/{id}', token],
      ['/v1/webhook_endpoints/{id}', endpoint],
      ['/v1/balance', ''],
    ] as const) {
      await send('GET', path, id);
    }
    for (const path of [
      'charges',
      'refunds',
      'balance_transactions',
      'webhook_endpoints',
      'events',
    ]) {
      const { json } = await send('GET', `/v1/${path}`);
      const [first] = json['data'] as { id: string }[];
      await send('GET', `/v1/${path}/{id}`, first?.id);
    }
    await send('POST', '/v1/webhook_endpoints/{id}', endpoint, 'disabled=false');
    const [event] = (await send('GET', '/v1/events')).json['data'] as { id: string }[];
    await send('POST', '/v1/events/{id}/replay', event?.id, `endpoint=${endpoint}`);
    await send('POST', '/v1/test_helpers/events', '', `type=payout.paid&endpoint=${endpoint}`);
    await send('DELETE', '/v1/webhook_endpoints/{id}', endpoint);
    const keys = await send('GET', '/v1/api_keys');
    const [publishable] = keys.json['data'] as { id: string }[];
    await send('GET', '/v1/api_keys/{id}', publishable?.id);
    await send('POST', '/v1/api_keys/{id}/revoke', publishable?.id);
  });

  it('holds for each event of a stream', async () => {
    const path = '/v1/events/stream';
    const stream = await openStream(app.url + path, app.secretKey);
    await made('/v1/charges', 'amount=500&currency=eur&source=tok_visa');
    const [event] = await stream.waitFor(1);
    stream.close();
    const content = answerOf(document.paths[path]?.['get'], 200, document);
    const [[type = '', described] = []] = Object.entries(content ?? {});
    expect(stream.headers['content-type']).to.equal(`${type}; charset=utf-8`);
    const body = JSON.parse(event?.['data'] ?? '');
    expect(fault(body, described?.schema ?? {}, document), path).to.equal(undefined);
    asked.add(`GET ${path}`);
  });

  it('holds for what is expanded', async () => {
    const expand = 'expand[]=payment_method&expand[]=balance_transaction&expand[]=refunds';
    const sale = `amount=500&currency=eur&source=tok_visa&${expand}`;
    const { json } = await send('POST', '/v1/charges', '', sale);
    expect(json['payment_method']).to.be.an('object');
    expect(json['refunds']).to.be.an('object');
    const refund = `charge=${String(json['id'])}&amount=1&expand[]=charge.balance_transaction`;
    expect((await send('POST', '/v1/refunds', '', refund)).json['charge']).to.be.an('object');
  });

  it('holds for refusals', async () => {
    const declined = await send(
      'POST',
      '/v1/charges',
      '',
      'amount=1&currency=eur&source=tok_visa_chargeDeclined',
    );
    expect(declined.status).to.equal(402);
    expect((await send('POST', '/v1/charges', '', 'amount=x')).status).to.equal(400);
    expect((await send('GET', '/v1/charges/{id}', 'ch_x')).status).to.equal(404);
    expect((await send('POST', '/v1/refunds/{id}/cancel', 're_x')).status).to.equal(404);
  });

  it('was held against every route that can succeed here', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // A refund is withdrawn only before it is sent, and here each is sent at once.
    const missed = described.filter((route) => !asked.has(route));
    expect(missed).to.deep.equal(['POST /v1/refunds/{id}/cancel']);
  });
});
