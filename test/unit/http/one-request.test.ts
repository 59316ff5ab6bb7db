import { mintKey } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import express from 'express';
import { ask, postForm } from '../../support/ask.ts';
import { ACCOUNT, type MountedApi, mountApi, toPrincipal } from './mounted-api.ts';

const ID = 'ch_01h2xcejqtf2nbrexx3vqjhp41';

describe('one request', () => {
  let mounted: MountedApi;
  const get = (path: string, more = {}) => ask(mounted.url + path, more);
  beforeEach(async () => {
    mounted = await mountApi();
  });
  afterEach(() => mounted.close());

  it('gets our request id and no-store, whatever id it sends', async () => {
    const reply = await get(`/v1/charges/${ID}`, { headers: { 'request-id': 'req_mine' } });
    expect(reply.status).to.equal(200);
    expect(reply.headers['request-id']).to.match(/^req_[0-9a-z]{26}$/);
    expect(reply.headers['cache-control']).to.equal('no-store');
    expect(reply.headers['content-type']).to.equal('application/json; charset=utf-8');
  });

  it('leaves one line in the log: the route and never the address', async () => {
    await get(`/v1/charges/${ID}?expand[]=secret`);
    expect(mounted.lines).to.have.length(1);
    const { level, facts, message } = mounted.lines[0] ?? expect.fail('no line');
    expect({ level, message }).to.deep.equal({ level: 'info', message: 'A request was answered.' });
    expect(facts).to.include({
      method: 'GET',
      route: '/v1/charges/:id',
      status: 400,
      duration_ms: 0,
      account: ACCOUNT,
      environment: 'test',
    });
    expect(facts['key_id']).to.match(/^key_/);
    expect(JSON.stringify(facts)).not.to.include('secret').and.not.to.include(ID);
  });

  it('answers 404 route_missing to unknown paths, also with trailing slashes or another case', async () => {
    for (const [path, named] of [
      ['/v1/nothing', '/v1/nothing.'],
      ['/v1/charges/', '/v1/charges/. Without the slash at its end it is /v1/charges.'],
      ['/v1/charges//capture', '/v1/charges//capture.'],
      ['/v1/Charges', '/v1/Charges.'],
      [
        `/v1/charges/${ID}/`,
        '/v1/charges/.../. Without the slash at its end it is /v1/charges/:id.',
      ],
      [`/v1/charges/${ID}/captured`, '/v1/charges/.../captured.'],
      [`/v1/charges/${ID}/capture/x`, '/v1/charges/.../capture/x.'],
      ['/v1/charges%2fx/capture/y', '/v1/.../capture/y.'],
      ['/v1/charges/%ff', '/v1/charges/....'],
      [`/v1/${'a/'.repeat(50)}`, `/v1${'/a'.repeat(7)}/....`],
    ] as const) {
      const reply = await get(path);
      expect(reply.status, path).to.equal(404);
      expect(reply.error['code'], path).to.equal('route_missing');
      expect(reply.error['message'], path).to.equal(`There is no route ${named}`);
    }
  });

  it('names nothing of an unknown path that may be a part of a key or a card number', async () => {
    const digits = '4242'.repeat(4);
    for (const part of [digits, `sk_${'live'}_pmabcdefgh`, 'a'.repeat(25), 'sk%5Ftest%5Fpm']) {
      const { error } = await get(`/v1/${part}/x`);
      expect(error['message'] === 'There is no route /v1/.../x.').to.equal(true);
    }
  });

  it('passes on a decoded id, including dots and slashes', async () => {
    await get('/v1/charges/%2e%2e%2fadmin');
    await get('/v1/charges/a%2Fb');
    expect(mounted.asked.map(({ id }) => id)).to.deep.equal(['../admin', 'a/b']);
  });

  it('refuses a body on GET and a query on POST', async () => {
    const withBody = await ask(`${mounted.url}/v1/charges`, { method: 'GET', body: 'limit=1' });
    expect(withBody.status).to.equal(400);
    const withQuery = await postForm(`${mounted.url}/v1/charges?amount=1`, 'currency=eur');
    expect(withQuery.error).to.include({ code: 'parameter_unknown', param: 'amount' });
    expect(mounted.asked).to.deep.equal([]);
  });

  it('refuses a Stripe-Account that names another account', async () => {
    const own = await get('/v1/charges', { headers: { 'stripe-account': ACCOUNT } });
    expect(own.status).to.equal(200);
    const other = await get('/v1/charges', { headers: { 'stripe-account': 'acct_other' } });
    expect(other.status).to.equal(403);
    expect(other.error['code']).to.equal('permission_denied');
  });

  it('answers 503 once the service closes', async () => {
    mounted.setClosing();
    const reply = await get('/v1/charges');
    expect(reply.status).to.equal(503);
    expect(reply.headers['retry-after']).to.equal('1');
  });

  it('returns only a fixed text for an internal error', async () => {
    const secret = new Error('password=hunter2');
    const failing = await mountApi({
      services: { charges: { retrieve: async () => Promise.reject(secret) } },
    });
    const reply = await ask(`${failing.url}/v1/charges/${ID}`);
    expect(reply.status).to.equal(500);
    expect(reply.error['message']).to.equal('Something failed on our side.');
    expect(reply.text).not.to.include('hunter2');
    expect(failing.lines.find(({ level }) => level === 'error')?.facts['err']).to.equal(secret);
    await failing.close();
  });
});

describe('the environment of a mount', () => {
  it('may follow the host name, and returns 421 for an unknown name', async () => {
    const mounted = await mountApi({
      environment: ({ headers }) =>
        headers.host === 'live.example'
          ? 'live'
          : headers.host === 'test.example'
            ? 'test'
            : undefined,
      guard: {
        authenticate: (_, environment) => toPrincipal({ environment }),
      },
    });
    const at = (host: string) => ask(`${mounted.url}/v1/balance`, { headers: { host } });
    await at('live.example');
    await at('test.example');
    const unknown = await at('other.example');
    expect(unknown.status).to.equal(421);
    expect(unknown.error['code']).to.equal('environment_unknown');
    expect(mounted.lines.map(({ facts }) => facts['environment'])).to.deep.equal([
      'live',
      'test',
      undefined,
    ]);
    await mounted.close();
  });
});

describe('a credential', () => {
  it('is checked again after a slow body', async () => {
    let calls = 0;
    const mounted = await mountApi({
      guard: {
        authenticate: () => {
          calls += 1;
          if (calls > 1) throw new PaymountError('api_key_revoked');
          return toPrincipal({});
        },
      },
    });
    const reply = await postForm(`${mounted.url}/v1/charges`, 'amount=1&currency=eur');
    expect(reply.error['code']).to.equal('api_key_revoked');
    expect(mounted.asked).to.deep.equal([]);
    await mounted.close();
  });

  it('is looked for in the whole address, mount path included', async () => {
    const mounted = await mountApi({ mount: (router) => express().use('/pay/:shop', router) });
    const { status, error } = await ask(
      `${mounted.url}/pay/${mintKey('secret', 'test')}/v1/charges`,
    );
    expect([status, error['code']]).to.deep.equal([400, 'key_in_url']);
    expect(mounted.asked).to.deep.equal([]);
    await mounted.close();
  });

  it('may take a look-up: the answer waits for it', async () => {
    const mounted = await mountApi({
      guard: { authenticate: async () => toPrincipal({}) },
    });
    expect((await ask(`${mounted.url}/v1/charges`)).status).to.equal(200);
    await mounted.close();
  });
});

describe('live mode', () => {
  it('accepts no card data in any field, and repeats none of it', async () => {
    const mounted = await mountApi({ environment: 'live' });
    const refused = {
      'card[number]=1': 'card[number]',
      'card[cvc]=123': 'card[cvc]',
      'description=pay+4242+4242-4242+4242': 'description',
      'metadata[card]=378282246310005': 'metadata[card]',
      'shipping[name]=6011111111111117': 'shipping[name]',
      'metadata[source]=4242424242424242': 'metadata[source]',
      'metadata[token]=4242424242424242': 'metadata[token]',
      'source=4242424242424242': 'source',
      'payment_method=4242424242424242': 'payment_method',
      'charge=pm_4242424242424242': 'charge',
    };
    for (const [body, param] of Object.entries(refused)) {
      for (const path of ['/v1/charges', '/v1/payment_methods']) {
        const reply = await postForm(mounted.url + path, body, { key: 'sk_live' });
        expect(reply.status, body).to.equal(400);
        expect(reply.error).to.include({ code: 'raw_card_data_not_allowed', param });
        expect(reply.text).not.to.include('4242').and.not.to.include('3782');
      }
    }
    expect(mounted.asked).to.deep.equal([]);
    await mounted.close();
  });

  it('accepts numbers that are not cards: order numbers, digits of an id, processor tokens', async () => {
    const mounted = await mountApi({ environment: 'live' });
    const body = [
      'amount=1&currency=eur&source=tok_01k84242424242424242w3f0fz',
      'description=4242424242424241',
      'metadata[a]=4242x4242x4242x4242',
      'metadata[b]=1700000000000',
    ].join('&');
    const reply = await postForm(`${mounted.url}/v1/charges`, body, { key: 'sk_live' });
    expect(reply.status, reply.text).to.equal(200);
    const token = 'type=card&card[token]=4242424242424242';
    const made = await postForm(`${mounted.url}/v1/payment_methods`, token, { key: 'sk_live' });
    // The services of this test know no payment methods: the request has passed the refusal.
    expect(made.error['code'], made.text).to.equal('resource_missing');
    await mounted.close();
  });
});
