import { once } from 'node:events';
import http, {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import express4 from 'express4';
import { receiver, SignatureError } from 'paymount-receiver';
import { at, headerA, sign, vector } from '../../support/vector.ts';

const { body, secretA, secretB } = vector;
const PATH = '/webhooks';

/** What one receiver saw. */
interface Seen {
  readonly events: string[];
  readonly errors: unknown[];
}

type Handler = ReturnType<typeof receiver>;
type Mount = (handler: Handler) => RequestListener | Handler;

const servers: Server[] = [];

async function serve(listener: RequestListener | Handler): Promise<string> {
  const server = http.createServer((request, response) => {
    void listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
}

async function start(mount: Mount, onEvent?: () => unknown): Promise<{ url: string; seen: Seen }> {
  const seen: Seen = { events: [], errors: [] };
  const handler = receiver({
    secret: secretA,
    now: () => at(),
    onError: (error) => seen.errors.push(error),
    onEvent: async (event) => {
      seen.events.push(event.id);
      await onEvent?.();
    },
  });
  return { url: await serve(mount(handler)), seen };
}

async function post(url: string, change: RequestInit = {}): Promise<[number, unknown]> {
  const headers = { 'content-type': 'application/json', 'service-signature': headerA };
  const response = await fetch(url, { method: 'POST', headers, body, ...change });
  return [response.status, await response.json()];
}

/** The ways in which a host mounts the receiver, each with parsers that keep the raw bytes. */
const mounts: Record<string, Mount> = {
  'plain node:http': (handler) => handler,
  'Express 5, no parser': (handler) => express().post(PATH, handler),
  'Express 5, before express.json()': (handler) =>
    express().post(PATH, handler).use(express.json()),
  'Express 5, express.raw()': (handler) =>
    express().post(PATH, express.raw({ type: '*/*' }), handler),
  'Express 5, express.text()': (handler) =>
    express().post(PATH, express.text({ type: '*/*' }), handler),
  'Express 5, express.json() that keeps rawBody': (handler) =>
    express()
      .use(express.json({ verify: (request, _, raw) => Object.assign(request, { rawBody: raw }) }))
      .post(PATH, handler),
  'Express 5, express.urlencoded() before': (handler) =>
    express().use(express.urlencoded()).post(PATH, handler),
  'Express 5, mounted by use()': (handler) => express().use(PATH, handler),
  'Express 4, no parser': (handler) => express4().post(PATH, handler),
  'Express 4, before express.json()': (handler) =>
    express4().post(PATH, handler).use(express4.json()),
  'Express 4, express.raw()': (handler) =>
    express4().post(PATH, express4.raw({ type: '*/*' }), handler),
  'Express 4, express.urlencoded() before': (handler) =>
    express4()
      .use(express4.urlencoded({ extended: true }))
      .post(PATH, handler),
};

describe('receiver', () => {
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  for (const [name, mount] of Object.entries(mounts)) {
    it(`answers 200 to a delivery and 400 to a changed one: ${name}`, async () => {
      const { url, seen } = await start(mount);
      expect(await post(url)).to.deep.equal([200, { received: true }]);
      expect(await post(url, { body: body.replace('4200', '4201') })).to.deep.equal([
        400,
        {
          error: {
            code: 'signature_mismatch',
            message: 'No secret of this receiver gives this signature for this body.',
          },
        },
      ]);
      expect(seen.events).to.deep.equal([vector.eventId]);
      expect(seen.errors).to.have.length(1);
    });
  }

  for (const [name, mount] of Object.entries<Mount>({
    'Express 5': (handler) => express().use(express.json()).post(PATH, handler),
    'Express 4': (handler) => express4().use(express4.json()).post(PATH, handler),
  })) {
    it(`answers 400 body_not_raw when express.json() took the body: ${name}`, async () => {
      const { url, seen } = await start(mount);
      expect(await post(url)).to.deep.equal([
        400,
        {
          error: {
            code: 'body_not_raw',
            message: 'The body was parsed before its signature could be verified.',
          },
        },
      ]);
      expect(String(seen.errors[0])).to.contain('Mount the receiver before express.json()');
      expect(seen.events).to.deep.equal([]);
    });
  }

  it('answers 400 body_not_raw when something read the stream and kept nothing', async () => {
    const { url } = await start(
      (handler) => (request: IncomingMessage, response: ServerResponse) => {
        request.resume().once('end', () => void handler(request, response));
      },
    );
    const [status, answer] = await post(url);
    expect(status).to.equal(400);
    expect(answer).to.have.nested.property('error.code', 'body_not_raw');
  });

  it('answers 400 without a header and to a stale one', async () => {
    const { url, seen } = await start((handler) => handler);
    const stale = sign(body, vector.timestampSeconds - 301, secretA);
    for (const [headers, code] of [
      [{}, 'header_missing'],
      [{ 'service-signature': 't=1' }, 'header_malformed'],
      [{ 'service-signature': stale }, 'timestamp_outside_tolerance'],
    ] as const) {
      const [status, answer] = await post(url, { headers });
      expect(status).to.equal(400);
      expect(answer).to.have.nested.property('error.code', code);
    }
    expect(seen.errors.every((error) => error instanceof SignatureError)).to.equal(true);
  });

  it('answers 400 to a request without a body', async () => {
    const { url } = await start((handler) => express().use(PATH, handler));
    const response = await fetch(url, { headers: { 'service-signature': headerA } });
    expect(response.status).to.equal(400);
  });

  it('answers 500 when onEvent throws, so that the event is sent again', async () => {
    for (const failure of [
      new Error('no disk'),
      new SignatureError('header_missing', 'not ours'),
    ]) {
      const { url, seen } = await start(
        (handler) => handler,
        () => Promise.reject(failure),
      );
      expect(await post(url)).to.deep.equal([
        500,
        { error: { code: 'handler_failed', message: 'The event could not be handled.' } },
      ]);
      expect(seen.errors).to.deep.equal([failure]);
    }
  });

  it('answers only after onEvent is done', async () => {
    let enter = (): void => undefined;
    let release = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const done = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await start(
      (handler) => handler,
      () => {
        enter();
        return done;
      },
    );
    let answered = false;
    const answer = post(url).finally(() => {
      answered = true;
    });
    await entered;
    await fetch(url).catch(() => undefined);
    expect(answered).to.equal(false);
    release();
    expect((await answer)[0]).to.equal(200);
  });

  it('takes a body of exactly 1 MiB, and answers 413 to one byte more', async () => {
    for (const mount of [mounts['plain node:http'], mounts['Express 4, no parser']]) {
      const { url } = await start(mount as Mount);
      const padded = body.replace('"café 😀"', `"${'x'.repeat(1_048_576 - 313)}"`);
      expect(Buffer.byteLength(padded)).to.equal(1_048_576);
      for (const [text, status] of [
        [padded, 200],
        [`${padded} `, 413],
      ] as const) {
        const signature = sign(text, vector.timestampSeconds, secretA);
        const headers = { 'service-signature': signature };
        expect((await post(url, { body: text, headers }))[0]).to.equal(status);
        const chunked = { body: new Blob([text]).stream(), headers, duplex: 'half' };
        expect((await post(url, chunked as RequestInit))[0]).to.equal(status);
      }
    }
  });

  it('survives a sender that goes away in the middle of a body', async () => {
    const { url, seen } = await start((handler) => handler);
    const request = http.request(url, {
      method: 'POST',
      headers: { 'content-length': '500', 'service-signature': headerA },
    });
    request.on('error', () => undefined);
    await new Promise<void>((resolve) => request.write(body.slice(0, 100), () => resolve()));
    request.destroy();
    expect((await post(url))[0]).to.equal(200);
    expect(seen.events).to.deep.equal([vector.eventId]);
  });

  it('accepts either secret during a rotation', async () => {
    const handler = receiver({ secrets: [secretB, secretA], onEvent: () => undefined, now: at });
    expect((await post(await serve(handler)))[0]).to.equal(200);
  });

  it('refuses a wrong secret when it is made, not at the first delivery', () => {
    expect(() => receiver({ secret: 'whsec_', onEvent: () => undefined }))
      .to.throw(SignatureError)
      .with.property('code', 'secret_malformed');
  });
});
