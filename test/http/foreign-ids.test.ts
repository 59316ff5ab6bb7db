import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, type Reply } from './ask.ts';

/** The objects of one account, by resource. */
type Belongings = Readonly<
  Record<'charge' | 'refund' | 'method' | 'token' | 'endpoint' | 'event' | 'line', string>
>;

const notAsked = async (): Promise<never> => {
  throw new Error('A refused request reached the processor.');
};

/** Live needs an adapter; it knows no token, and nothing else may reach it. */
const liveProcessor: Processor = {
  name: 'live',
  capabilities: {
    methods: ['card'],
    manualCapture: true,
    partialCapture: true,
    voids: true,
    refunds: true,
    idempotentSubmit: true,
  },
  tokenize: async () => ({ result: 'unknown_token' }),
  authorize: notAsked,
  capture: notAsked,
  cancel: notAsked,
  refund: notAsked,
  lookup: notAsked,
};

describe('an object of another account or environment', () => {
  let app: TestApp;
  let strangers: readonly [string, string][];
  let owned: Belongings;

  before(async () => {
    app = await startApp({
      mount: (host, paymount) => {
        host.use('/test', paymount.router({ environment: 'test' }));
        host.use('/live', paymount.router({ environment: 'live' }));
      },
      paymount: { processors: { live: liveProcessor } },
    });
    owned = await belongings(`${app.url}/test`, app.secretKey);
    strangers = [
      [`${app.url}/test`, await keyOf('another account')],
      [`${app.url}/live`, await keyOf('the other environment', 'live', app.account)],
    ];
  });
  after(() => app.close());

  async function keyOf(
    name: string,
    environment: 'live' | 'test' = 'test',
    account?: TestApp['account'],
  ): Promise<string> {
    const accountId =
      account ??
      (await app.paymount.accounts.create({ name, country: 'DE', defaultCurrency: 'eur' })).id;
    const facts = { accountId, environment, type: 'secret', name, createdBy: 'test' } as const;
    return (await app.paymount.keys.create(facts)).secret;
  }

  async function belongings(url: string, key: string): Promise<Belongings> {
    const post = async (path: string, body: string): Promise<Record<string, unknown>> => {
      const reply = await postForm(url + path, body, { key });
      expect(reply.status, reply.text).to.equal(200);
      return reply.json;
    };
    const charge = await post('/v1/charges', 'amount=100&currency=eur&source=tok_visa');
    const refund = await post('/v1/refunds', `charge=${String(charge['id'])}&amount=1`);
    const method = await post('/v1/payment_methods', 'type=card&card[token]=tok_visa');
    const token = await post(
      '/v1/tokens',
      'card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2044',
    );
    const endpoint = await post(
      '/v1/webhook_endpoints',
      'url=http%3A%2F%2F127.0.0.1%3A9%2F&enabled_events[]=payout.paid',
    );
    const events = await ask(`${url}/v1/events?limit=1`, { key });
    const [event] = events.json['data'] as { id: string }[];
    return {
      charge: String(charge['id']),
      refund: String(refund['id']),
      method: String(method['id']),
      token: String(token['id']),
      endpoint: String(endpoint['id']),
      event: String(event?.id),
      line: String(charge['balance_transaction']),
    };
  }

  /** What a stranger sees, with what must differ taken out. */
  const seen = ({ status, text }: Reply, id: string): string =>
    `${status} ${text.replaceAll(id, '<id>').replace(/"request_id":"[^"]+"/, '')}`;

  it('is answered as one that never was', async () => {
    const routes: [string, string, keyof Belongings][] = [
      ['GET', '/v1/charges/:id', 'charge'],
      ['POST', '/v1/charges/:id', 'charge'],
      ['POST', '/v1/charges/:id/capture', 'charge'],
      ['POST', '/v1/charges/:id/cancel', 'charge'],
      ['GET', '/v1/refunds/:id', 'refund'],
      ['POST', '/v1/refunds/:id', 'refund'],
      ['POST', '/v1/refunds/:id/cancel', 'refund'],
      ['GET', '/v1/payment_methods/:id', 'method'],
      ['POST', '/v1/payment_methods/:id', 'method'],
      ['GET', '/v1/tokens/:id', 'token'],
      ['GET', '/v1/balance_transactions/:id', 'line'],
      ['GET', '/v1/webhook_endpoints/:id', 'endpoint'],
      ['POST', '/v1/webhook_endpoints/:id', 'endpoint'],
      ['DELETE', '/v1/webhook_endpoints/:id', 'endpoint'],
      ['GET', '/v1/events/:id', 'event'],
    ];
    for (const [url, key] of strangers) {
      for (const [method, pattern, kind] of routes) {
        const id = owned[kind];
        const never = `${id.slice(0, -4)}zzzz`;
        const foreign = await ask(url + pattern.replace(':id', id), { method, key });
        const unknown = await ask(url + pattern.replace(':id', never), { method, key });
        expect(foreign.status, `${method} ${pattern}: ${foreign.text}`).to.equal(404);
        expect(foreign.error['code']).to.equal('resource_missing');
        expect(seen(foreign, id)).to.equal(seen(unknown, never));
      }
    }
  });

  it('is answered as one that never was in parameters and cursors, too', async () => {
    for (const [url, key] of strangers) {
      for (const [path, parameters, kind, code] of [
        ['/v1/refunds', 'charge=<id>', 'charge', 'resource_missing'],
        ['/v1/charges', 'amount=1&currency=eur&payment_method=<id>', 'method', 'resource_missing'],
        ['/v1/charges', 'amount=1&currency=eur&source=<id>', 'token', 'resource_missing'],
        ['/v1/payment_methods', 'type=card&card[token]=<id>', 'token', 'resource_missing'],
        ['/v1/charges', '?starting_after=<id>', 'charge', 'invalid_cursor'],
        ['/v1/refunds', '?ending_before=<id>', 'refund', 'invalid_cursor'],
        ['/v1/balance_transactions', '?starting_after=<id>', 'line', 'invalid_cursor'],
        ['/v1/webhook_endpoints', '?starting_after=<id>', 'endpoint', 'invalid_cursor'],
        ['/v1/events', '?starting_after=<id>', 'event', 'invalid_cursor'],
      ] as const) {
        const send = (id: string): Promise<Reply> => {
          const text = parameters.replace('<id>', id);
          return text.startsWith('?')
            ? ask(url + path + text, { key })
            : postForm(url + path, text, { key });
        };
        const id = owned[kind];
        const never = `${id.slice(0, -4)}zzzz`;
        const foreign = await send(id);
        expect([foreign.status, foreign.error['code']], `${path} ${parameters}`).to.deep.equal([
          400,
          code,
        ]);
        expect(seen(foreign, id)).to.equal(seen(await send(never), never));
      }
    }
  });

  it('is in no list', async () => {
    for (const [url, key] of strangers) {
      for (const list of [
        'charges',
        'refunds',
        'balance_transactions',
        'webhook_endpoints',
        'events',
      ]) {
        const reply = await ask(`${url}/v1/${list}`, { key });
        expect(reply.json['data'], list).to.deep.equal([]);
      }
      const filtered = await ask(`${url}/v1/refunds?charge=${owned.charge}`, { key });
      expect(filtered.json['data'] ?? []).to.deep.equal([]);
    }
  });
});
