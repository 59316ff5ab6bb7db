import { expect } from 'chai';
import express from 'express';
import { logRedaction } from 'paymount';
import { type Options, pinoHttp } from 'pino-http';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, FORM, JSON_TYPE, postForm, postJson } from '../support/ask.ts';
import { writtenLog } from '../support/written-log.ts';

const CARD = '4242424242424242';
const COOKIE = 'session=of-an-admin';

/** What pino-http shows of requests when it is told to show bodies too. */
const serializers = {
  req(shown: { raw: { body?: unknown }; body?: unknown }) {
    shown.body = shown.raw.body;
    return shown;
  },
};

interface LoggedHost extends TestApp {
  /** What pino-http wrote. */
  hostLog(): string;
  /** The lines that Paymount wrote. */
  ownLines(): Record<string, unknown>[];
}

/** A host with pino-http and a parser in front of the mount. */
async function startHost(
  options: Options | undefined,
  trustedProxies: readonly string[] = [],
): Promise<LoggedHost> {
  const lines: string[] = [];
  const own = writtenLog();
  const host = await startApp({
    paymount: { logger: own.logger, trustedProxies },
    mount(app, paymount) {
      const stream = { write: (line: string) => void lines.push(line) };
      if (options !== undefined) app.use(pinoHttp({ ...options, serializers }, stream));
      app.use(express.json(), express.urlencoded({ extended: true }));
      app.use('/pay', paymount.router({ environment: 'test', requireTls: false }));
    },
  });
  return {
    ...host,
    hostLog: () => lines.join(''),
    ownLines: () =>
      own
        .text()
        .split('\n')
        .filter((line) => line.includes('A request was answered.'))
        .map((line) => JSON.parse(line)),
  };
}

/** Sends a key and a card wherever clients may put them. @returns what must not be logged */
async function sendSecrets({ url, secretKey }: TestApp): Promise<readonly string[]> {
  const basic = Buffer.from(`${secretKey}:`).toString('base64');
  const card = { number: CARD, exp_month: 12, exp_year: 2040, cvc: '123' };
  const charge = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
  await postJson(`${url}/pay/v1/charges`, charge, { key: secretKey });
  await postJson(`${url}/pay/v1/tokens`, { card }, { key: secretKey });
  await postForm(`${url}/pay/v1/tokens`, `card[number]=${CARD}`, { key: secretKey });
  await ask(`${url}/pay/v1/charges/ch_none`, {
    key: '',
    headers: { authorization: `Basic ${basic}`, cookie: COOKIE, 'x-api-key': secretKey },
  });
  await ask(`${url}/pay/v1/charges/${secretKey}?api_key=${secretKey}&card[number]=${CARD}`, {
    headers: { referer: `https://shop.example.com/?key=${secretKey}` },
  });
  return [secretKey.slice(8, 30), basic.slice(16, 40), CARD, COOKIE];
}

describe('the log of a host that has pino-http in front of the mount', () => {
  it('holds keys and card numbers as pino-http writes it by itself', async () => {
    const host = await startHost({});
    const secrets = await sendSecrets(host);
    const log = host.hostLog();
    await host.close();
    for (const secret of secrets) expect(log).to.include(secret);
  });

  it('contains no secret with `redact: logRedaction`, but still the path', async () => {
    const host = await startHost({ redact: logRedaction });
    const secrets = await sendSecrets(host);
    const log = host.hostLog();
    await host.close();
    for (const secret of secrets) expect(log).to.not.include(secret);
    const urls = log.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).req.url]));
    expect(urls).to.deep.equal([
      '/pay/v1/charges',
      '/pay/v1/tokens',
      '/pay/v1/tokens',
      '/pay/v1/charges/ch_none',
      '/pay/v1/charges/[secret]?api_key=[secret]&card[number]=...',
    ]);
  });
});

describe('logRedaction', () => {
  it('cuts the password out of a URL that an address or a header holds', () => {
    const database = 'postgres://shop:hunter2horse@db.example.com/shop';
    const shown = 'postgres://shop:[secret]@db.example.com/shop';
    const { censor } = logRedaction;
    expect(censor(`/pay?from=${database}&page=2`, ['req', 'url'])).to.equal(
      `/pay?from=${shown}&page=2`,
    );
    expect(censor(database, ['req', 'query', 'from'])).to.equal(shown);
    expect(censor(database, ['req', 'headers', 'x-from'])).to.equal(shown);
  });

  it('takes out whole what a host adds to its paths', () => {
    expect(logRedaction.censor('tea@example.com', ['user', 'email'])).to.equal('[secret]');
  });
});

describe("the host's id of a request", () => {
  const PROXY = ['127.0.0.1/32'];

  it('is in our log and beside our own in the answer, as pino-http gives it', async () => {
    const host = await startHost({ genReqId: () => 'host-request-7' });
    const { headers } = await ask(`${host.url}/pay/v1/charges/ch_none`, { key: host.secretKey });
    const [line] = host.ownLines();
    await host.close();
    expect(line).to.include({
      host_request_id: 'host-request-7',
      request_id: headers['request-id'],
    });
    expect(headers['x-request-id']).to.equal('host-request-7');
    expect(headers['request-id']).to.match(/^req_/);
  });

  it('is the number that pino-http counts by itself', async () => {
    const host = await startHost({});
    await ask(`${host.url}/pay/v1/charges/ch_none`, { key: host.secretKey });
    const [line] = host.ownLines();
    await host.close();
    expect(line?.['host_request_id']).to.equal('1');
  });

  it('is X-Request-Id where a trusted proxy sends it, in 1-128 visible characters', async () => {
    const host = await startHost(undefined, PROXY);
    const found: unknown[] = [];
    for (const sent of ['edge-1', 'a b', 'x'.repeat(128), 'x'.repeat(129), '', 'é']) {
      const headers = {
        'x-forwarded-for': '192.0.2.7',
        'x-request-id': Buffer.from(sent).toString('latin1'),
      };
      const reply = await ask(`${host.url}/pay/v1/charges/ch_none`, { headers });
      found.push(reply.headers['x-request-id']);
    }
    const logged = host.ownLines().map((line) => line['host_request_id']);
    await host.close();
    const expected = ['edge-1', undefined, 'x'.repeat(128), undefined, undefined, undefined];
    expect(found).to.deep.equal(expected);
    expect(logged).to.deep.equal(expected);
  });

  it('is not what a client sends by itself', async () => {
    const host = await startHost(undefined);
    const { headers } = await ask(`${host.url}/pay/v1/charges/ch_none`, {
      headers: { ...FORM, ...JSON_TYPE, 'x-request-id': 'made-up' },
    });
    const [line] = host.ownLines();
    await host.close();
    expect(line).to.not.have.property('host_request_id');
    expect(headers).to.not.have.property('x-request-id');
  });
});
