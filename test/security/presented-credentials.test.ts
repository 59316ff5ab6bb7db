import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, FORM, postForm, postJson, type Reply } from '../support/ask.ts';
import { TOLD_OF_LEAKS, tableContents } from '../support/table-contents.ts';
import { seek } from './canary.ts';
import { toldLog } from './captured-log.ts';
import { askRaw } from './raw-request.ts';

const INVALID_TOKEN = 'Bearer realm="paymount", error="invalid_token"';

/** Beyond what each kind of key gets on each route: how a credential may be written. */
describe('how a credential is presented', function () {
  this.timeout(30_000);
  const log = toldLog();
  const answers: string[] = [];
  let app: TestApp;
  let charges: string;
  let key: string;
  let contents: Record<string, string>;

  before(async () => {
    app = await startApp({
      paymount: { logger: log.logger },
      mount: (host, paymount) => {
        host.use('/pay', paymount.router({ environment: 'test' }));
      },
    });
    charges = `${app.url}/pay/v1/charges`;
    key = app.secretKey;
    await app.worker.drain();
    contents = await tableContents(app.databaseUrl, TOLD_OF_LEAKS);
  });
  after(() => app.close());

  async function keep(reply: Promise<Reply>): Promise<Reply> {
    const answer = await reply;
    answers.push(JSON.stringify(answer.headers) + answer.text);
    return answer;
  }

  const withHeader = (authorization: string | string[]): Promise<Reply> =>
    keep(ask(charges, { key: '', headers: { authorization } }));

  const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

  function expectRefused(reply: Reply, status: number, code: string, challenge?: string): void {
    expect([status, code]).to.deep.equal([reply.status, reply.error['code']], reply.text);
    expect(reply.headers['www-authenticate'], reply.text).to.equal(challenge);
  }

  it('is understood as Bearer and as the user name of Basic, in any case and spacing', async () => {
    for (const header of [
      `Bearer ${key}`,
      `bearer ${key}`,
      `BEARER    ${key}  `,
      `Basic ${base64(`${key}:`)}`,
      `bAsIc   ${base64(`${key}:`)}`,
    ]) {
      expect((await withHeader(header)).status, header.slice(0, 8)).to.equal(200);
    }
  });

  it('is missing when it is anywhere but in Authorization', async () => {
    const elsewhere: Record<string, string>[] = [
      {},
      { authorization: '' },
      { authorization: '   ' },
      { 'x-api-key': key },
      { 'api-key': key },
      { cookie: `authorization=Bearer ${key}; key=${key}` },
      { 'proxy-authorization': `Bearer ${key}` },
      { 'x-authorization': `Bearer ${key}` },
      { 'x-forwarded-authorization': `Bearer ${key}` },
      { 'stripe-account': app.account },
    ];
    for (const headers of elsewhere) {
      const reply = await keep(ask(charges, { key: '', headers }));
      expectRefused(reply, 401, 'api_key_missing', 'Bearer realm="paymount"');
    }
    for (const name of ['key', 'api_key', 'access_token', 'authorization']) {
      const reply = await keep(postForm(charges, `${name}=${key}`, { key: '' }));
      expectRefused(reply, 401, 'api_key_missing', 'Bearer realm="paymount"');
      const known = await keep(postJson(charges, { [name]: key }, { key }));
      expectRefused(known, 400, 'secret_in_text');
    }
  });

  it('is not looked for in the trailers of a body', async () => {
    const lines = ['Transfer-Encoding: chunked', 'Trailer: Authorization'];
    const body = `0\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const answer = await askRaw(app.port, 'POST /pay/v1/charges', { lines, body });
    expect(answer.status, answer.text).to.equal('401');
    expect(answer.text).to.include('api_key_missing');
  });

  it('is malformed in another scheme, with a password, or in invalid base64', async () => {
    for (const header of [
      key,
      `Token ${key}`,
      `Digest username="${key}"`,
      `Bearer: ${key}`,
      `Bearer,${key}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key}, Bearer ${key}`,
      `Bearer "${key}"`,
      `Bearer Bearer ${key}`,
      'Bearer',
      'Bearer undefined',
      `Bearer ${'a'.repeat(9_000)}`,
      `Basic ${key}`,
      `Basic ${base64(key)}`,
      `Basic ${base64(`${key}:hunter2`)}`,
      `Basic ${base64(`:${key}`)}`,
      `Basic ${base64(`${key}: `)}`,
      `Basic ${base64(`${key}:`)}!`,
      `Basic ${base64(`${key}:`).replace(/=*$/, '')}=`,
      `Basic ${base64(` ${key}:`)}`,
      `Basic ${base64(`${key}\0:`)}`,
      'Basic',
      'Basic =',
      `Bearer ${key.slice(0, 8)}\u00e9${key.slice(9)}`,
    ]) {
      expectRefused(await withHeader(header), 401, 'api_key_malformed', INVALID_TOKEN);
    }
  });

  it('is refused when it is sent twice, alike or not, in whatever case the headers are', async () => {
    const bearer = `Authorization: Bearer ${key}`;
    for (const lines of [
      [bearer, bearer],
      [bearer, `authorization: Bearer ${key}`],
      [bearer, `AUTHORIZATION: Basic ${base64(`${key}:`)}`],
      [bearer, 'Authorization:'],
      ['Authorization:', bearer],
      [bearer, 'Authorization: nonsense'],
      [bearer, 'X-Other: 1', bearer, bearer],
    ]) {
      const answer = await askRaw(app.port, 'GET /pay/v1/charges', { lines });
      answers.push(answer.text);
      expect(answer.status, answer.text).to.equal('400');
      expect(answer.text).to.include('"code":"multiple_credentials"');
    }
  });

  it('is refused in a folded header, before any of us sees it', async () => {
    const lines = ['Authorization: Bearer', ` ${key}`];
    const answer = await askRaw(app.port, 'GET /pay/v1/charges', { lines });
    expect(answer.status).to.be.oneOf(['400', '401']);
    expect(answer.text).to.not.include('"data"');
  });

  describe('in the address', () => {
    const percent = (text: string): string =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const places: readonly [string, (key: string) => string][] = [
      ['a query', (secret) => `/pay/v1/charges?key=${secret}`],
      ['the name of a parameter', (secret) => `/pay/v1/charges?${secret}=1`],
      ['a nested parameter', (secret) => `/pay/v1/charges?metadata[${secret}]=1`],
      ['an id', (secret) => `/pay/v1/charges/${secret}`],
      ['an id after a prefix', (secret) => `/pay/v1/charges/pm_${secret}`],
      ['an id after a letter', (secret) => `/pay/v1/charges/a${secret}`],
      ['the end of a name', (secret) => `/pay/v1/charges?key_${secret}=1`],
      ['the beginning of a name', (secret) => `/pay/v1/charges?${secret}_old=1`],
      ['a part of a nested name', (secret) => `/pay/v1/charges?created[a_${secret}]=1`],
      ['a part of a value', (secret) => `/pay/v1/charges?expand[]=a_${secret}`],
      [
        'a part of a name, percent-encoded',
        (secret) => `/pay/v1/charges?${percent(`x_${secret}`)}=1`,
      ],
      ['a cursor', (secret) => `/pay/v1/charges?starting_after=${secret}`],
      ['a query, percent-encoded', (secret) => `/pay/v1/charges?key=${percent(secret)}`],
      [
        'a query, half of it percent-encoded',
        (secret) =>
          `/pay/v1/charges?key=${secret.slice(0, 9)}${percent(secret.slice(9, 30))}${secret.slice(30)}`,
      ],
      ['a query beside broken escapes', (secret) => `/pay/v1/charges?a=%zz&key=${secret}&b=%`],
      ['the user of an absolute target', (secret) => `http://${secret}@shop/pay/v1/charges`],
    ];
    for (const [what, target] of places) {
      it(`is refused as ${what}, whatever the header holds`, async () => {
        for (const secret of [key, app.publishableKey]) {
          const bearer = `Authorization: Bearer ${key}`;
          for (const lines of [[], [bearer], [bearer, bearer], ['Authorization: x']]) {
            const start = `GET ${target(secret)}`;
            const answer = await askRaw(app.port, start, { lines });
            answers.push(answer.text);
            expect(answer.status, answer.text).to.equal('400');
            expect(answer.text).to.include('"code":"key_in_url"');
          }
        }
      });
    }

    it('is refused, and not repeated, also for an unknown route or method', async () => {
      for (const start of [
        `GET /pay/v1/nothing/${key}`,
        `GET /pay/v1/nothing?key=${key}`,
        `PUT /pay/v1/charges/${key}`,
        `PROPFIND /pay/v1/charges?key=${key}`,
        `OPTIONS /pay/v1/charges?key=${key}`,
      ]) {
        const answer = await askRaw(app.port, start);
        answers.push(answer.text);
        expect(answer.status, start.slice(0, 20)).to.equal('400');
        expect(answer.text).to.include('"code":"key_in_url"');
      }
    });
  });

  describe('afterwards', () => {
    it('was never logged nor answered, in any form', () => {
      const secrets = new Map([['secret key', key]]);
      expect(log.told().match(/A request was answered\./g) ?? []).to.have.lengthOf.at.least(80);
      expect(seek(log.told(), secrets)).to.deep.equal([]);
      expect(seek(answers.join('\n'), secrets)).to.deep.equal([]);
      expect(log.told()).to.not.include('hunter2');
    });

    it('left the keys as they were', async () => {
      expect(await tableContents(app.databaseUrl, TOLD_OF_LEAKS)).to.deep.equal(contents);
      expect((await ask(charges, { key, headers: FORM })).status).to.equal(200);
    });
  });
});
