import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import express, { type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import type { Router } from '../../../packages/paymount/src/mount/mounted-router.ts';
import { ask, FORM, JSON_TYPE, postForm, postJson, type Reply } from '../../support/ask.ts';
import { type MountedApi, mountApi } from './mounted-api.ts';

type Parsers = (framework: typeof express) => RequestHandler[];

const PARSERS: Record<string, Parsers> = {
  'no parsers': () => [],
  'json() and urlencoded({ extended: true })': (framework) => [
    framework.json(),
    framework.urlencoded({ extended: true }),
  ],
  'urlencoded({ extended: false }) and json()': (framework) => [
    framework.urlencoded({ extended: false }),
    framework.json(),
  ],
  'raw() of every type': (framework) => [framework.raw({ type: () => true })],
  'text() of every type': (framework) => [framework.text({ type: () => true })],
  'json() of 1 KB': (framework) => [framework.json({ limit: 1024 })],
};

const MOUNTS = ['/', '/payments/eu'];

function createHost(
  framework: typeof express,
  parsers: RequestHandler[],
  place: 'before' | 'after',
  path: string,
): (router: Router) => Express {
  return (router) => {
    const app = framework();
    if (place === 'before') app.use(...parsers, pass);
    app.use(path, router);
    if (place === 'after') app.use(...parsers, pass);
    app.get('/shop', (_request, response) => void response.send('the shop'));
    app.post('/shop', (request, response) => void response.json(request.body ?? null));
    return app;
  };
}

const pass: RequestHandler = (_request, _response, next) => next();

const CREATED = {
  amount: 100,
  currency: 'eur',
  source: 'tok_visa',
  capture: false,
  off_session: true,
  metadata: { a: '1', 'x y': 'ü&=' },
};
const AS_FORM =
  'amount=100&currency=eur&source=tok_visa&capture=false&off_session=true&metadata[a]=1&metadata%5Bx+y%5D=%C3%BC%26%3D';

const TOO_LARGE =
  'The body exceeds 512 KiB, or 102,400 characters; with a publishable key 128 KiB; a file 5 MB; a request to OAuth 16 KiB. Send less.';
const REFUSED_BY_HOST =
  "The body is larger than the limit of the app's own body parser; its operator can raise the parser's `limit`.";

/** Bodies that are refused, and how: alike whoever parses. */
const REFUSED: readonly [string, (url: string) => Promise<Reply>, number, string][] = [
  ['half an object', (url) => postJson(url, '{"amount":'), 400, 'invalid_json'],
  ['an array', (url) => postJson(url, '[1]'), 400, 'invalid_json'],
  ['a bare text', (url) => postJson(url, '"x"'), 400, 'invalid_json'],
  ['an unknown name', (url) => postJson(url, { amonut: 1 }), 400, 'parameter_unknown'],
  ['an amount as text', (url) => postJson(url, { amount: '1' }), 400, 'parameter_invalid_integer'],
  ['an amount sent twice', (url) => postForm(url, 'amount=1&amount=2'), 400, 'parameter_duplicate'],
  ['__proto__ in JSON', (url) => postJson(url, '{"__proto__":{"a":1}}'), 400, 'parameter_unknown'],
  ['a large body', (url) => postJson(url, { x: 'y'.repeat(102_400) }), 413, 'body_too_large'],
  [
    'gzip',
    (url) =>
      ask(url, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
        body: gzipSync('{"amount":1}'),
      }),
    415,
    'unsupported_content_type',
  ],
  [
    'what is called gzip and is not',
    (url) =>
      ask(url, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
        body: '{"amount":1}',
      }),
    415,
    'unsupported_content_type',
  ],
  [
    'UTF-16',
    (url) =>
      ask(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-16' },
        body: Buffer.from('{"amount":1}', 'utf16le'),
      }),
    415,
    'unsupported_content_type',
  ],
  [
    'latin1',
    (url) => postJson(url, {}, { headers: { 'content-type': 'application/json;charset=latin1' } }),
    415,
    'unsupported_content_type',
  ],
  [
    'XML',
    (url) => postJson(url, '<a/>', { headers: { 'content-type': 'text/xml' } }),
    415,
    'unsupported_content_type',
  ],
  [
    'a body without a type',
    (url) => ask(url, { method: 'POST', body: '{"amount":1}' }),
    415,
    'unsupported_content_type',
  ],
  ['a bad key', (url) => postJson(url, '{"amount":', { key: 'nobody' }), 401, 'api_key_invalid'],
];

for (const [name, framework] of [
  ['Express 5', express],
  ['Express 4', express4],
] as const) {
  for (const [parsers, make] of Object.entries(PARSERS)) {
    for (const place of parsers === 'no parsers'
      ? (['before'] as const)
      : (['before', 'after'] as const)) {
      for (const path of MOUNTS) {
        describe(`${name} with ${parsers} ${place} a mount at ${path}`, () => {
          let mounted: MountedApi;
          let charges: string;
          before(async () => {
            mounted = await mountApi({
              mount: createHost(framework, make(framework), place, path),
            });
            charges = `${mounted.url}${path === '/' ? '' : path}/v1/charges`;
          });
          after(() => mounted.close());

          it('reads JSON and the same form alike', async () => {
            mounted.asked.length = 0;
            expect((await postJson(charges, CREATED)).status).to.equal(200);
            expect((await postForm(charges, AS_FORM)).status).to.equal(200);
            const types = { 'content-type': 'Application/JSON; Charset="UTF-8"' };
            expect((await postJson(charges, CREATED, { headers: types })).status).to.equal(200);
            expect(mounted.asked.map(({ input }) => input)).to.deep.equal([
              CREATED,
              CREATED,
              CREATED,
            ]);
          });

          it('takes an empty body, also one that is announced in JSON or as a form', async () => {
            const url = `${charges}/ch_1/cancel`;
            expect((await ask(url, { method: 'POST' })).status).to.equal(200);
            expect((await ask(url, { method: 'POST', headers: JSON_TYPE })).status).to.equal(200);
            expect((await ask(url, { method: 'POST', headers: FORM, body: '' })).status).to.equal(
              200,
            );
            const chunked = { ...FORM, 'transfer-encoding': 'chunked' };
            expect((await ask(url, { method: 'POST', headers: chunked })).status).to.equal(200);
            expect((await postJson(url, '{}')).status).to.equal(200);
            expect((await postJson(url, '{\n      \n}')).status).to.equal(200);
            expect((await postForm(url, '&&&&&&&&&&')).status).to.equal(200);
          });

          it('reads nested queries', async () => {
            mounted.asked.length = 0;
            const query = 'limit=3&created[gte]=1763717400&status=succeeded';
            expect((await ask(`${charges}?${query}`)).status).to.equal(200);
            expect(mounted.asked).to.deep.equal([
              {
                method: 'list',
                filter: {
                  created: { gte: new Date('2025-11-21T09:30:00.000Z') },
                  status: 'succeeded',
                },
                page: { limit: 3 },
              },
            ]);
          });

          for (const [what, send, status, code] of REFUSED) {
            it(`answers ${status} ${code} to ${what}`, async () => {
              mounted.asked.length = 0;
              const reply = await send(charges);
              expect(reply.status, reply.text).to.equal(status);
              expect(reply.error['code']).to.equal(code);
              expect(reply.headers['request-id']).to.match(/^req_[0-9a-z]{26}$/);
              expect(mounted.asked).to.deep.equal([]);
            });
          }

          it('says whose limit a large body exceeds', async () => {
            const { error } = await postJson(charges, { x: 'y'.repeat(102_400) });
            const isTheirs = place === 'before' && /json|of every type/.test(parsers);
            expect(error['message']).to.equal(isTheirs ? REFUSED_BY_HOST : TOO_LARGE);
          });

          it('answers 400 to __proto__ in a form, which some parsers drop', async () => {
            mounted.asked.length = 0;
            expect((await postForm(charges, '__proto__[a]=bbbb')).status).to.equal(400);
            expect(mounted.asked).to.deep.equal([]);
          });

          it('leaves the host its own routes', async () => {
            const response = await fetch(`${mounted.url}/shop`);
            expect(await response.text()).to.equal('the shop');
          });
        });
      }
    }
  }
}

describe('a body that something else consumed', () => {
  it('is answered 500, and the log says what to do', async () => {
    const swallow: RequestHandler = (request, _response, next) => {
      request.resume().on('end', next);
    };
    const mounted = await mountApi({ mount: (router) => express().use(swallow, router) });
    const reply = await postJson(`${mounted.url}/v1/charges`, CREATED);
    expect(reply.status).to.equal(500);
    expect(reply.error['code']).to.equal('internal_error');
    const line = mounted.lines.find(({ level }) => level === 'error');
    expect(String(line?.facts['err'])).to.include('mount Paymount first');
    await mounted.close();
  });

  it('is refused as well behind Express 4, whose parsers leave an empty object', async () => {
    const swallow: RequestHandler = (request, _response, next) => {
      request.resume().on('end', next);
    };
    const mounted = await mountApi({
      mount: (router) => express4().use(swallow, express4.json({ type: 'none/none' }), router),
    });
    expect((await postJson(`${mounted.url}/v1/charges`, CREATED)).status).to.equal(500);
    await mounted.close();
  });

  it('is read when the host called setEncoding first', async () => {
    const setEncoding: RequestHandler = (request, _response, next) => {
      request.setEncoding('utf8');
      next();
    };
    const mounted = await mountApi({ mount: (router) => express().use(setEncoding, router) });
    expect((await postJson(`${mounted.url}/v1/charges`, CREATED)).status).to.equal(200);
    await mounted.close();
  });
});

describe('framing', () => {
  let mounted: MountedApi;
  before(async () => {
    mounted = await mountApi();
  });
  after(() => mounted.close());

  async function raw(text: string): Promise<string> {
    const socket = connect(Number(new URL(mounted.url).port), '127.0.0.1');
    socket.end(text);
    let reply = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      reply += chunk;
    });
    await once(socket, 'close');
    return reply;
  }

  const HEAD =
    'POST /v1/charges HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk\r\nConnection: close\r\n';

  it('reads a body sent in chunks, and refuses it beyond 524,288 bytes', async () => {
    const headers = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
    const url = `${mounted.url}/v1/charges`;
    const small = await ask(url, { method: 'POST', headers, body: JSON.stringify(CREATED) });
    expect(small.status).to.equal(200);
    const large = `{"x":"y"}${' '.repeat(600_000)}`;
    expect((await ask(url, { method: 'POST', headers, body: large })).status).to.equal(413);
  });

  it('answers 413 to 524,289 bytes and reads 524,288', async () => {
    const pad = (size: number): string => {
      const text = JSON.stringify(CREATED);
      return text + ' '.repeat(size - Buffer.byteLength(text));
    };
    expect((await postJson(`${mounted.url}/v1/charges`, pad(524_288))).status).to.equal(200);
    expect((await postJson(`${mounted.url}/v1/charges`, pad(524_289))).status).to.equal(413);
  });

  it('answers 413 at once to an announced giant, and closes the connection', async () => {
    const reply = await raw(
      `${HEAD}Content-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n{`,
    );
    expect(reply).to.match(/^HTTP\/1\.1 413 /);
    expect(reply).to.match(/\r\nConnection: close\r\n/i);
  });

  it('refuses a body that is not UTF-8', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const reply = await ask(`${mounted.url}/v1/charges`, { headers: JSON_TYPE, body });
    expect(reply.status).to.equal(400);
    expect(reply.error['code']).to.equal('invalid_json');
  });
});
