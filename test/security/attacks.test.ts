import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, FORM, JSON_TYPE, postJson, type Reply } from '../support/ask.ts';
import { CHARGE } from '../support/bad-input-cases.ts';
import { countRows } from '../support/row-count.ts';
import { sendRaw } from './raw-request.ts';

/** Classes of attack; bodies and amounts by name are in `test/http/bad-input`. */
describe('attacks', () => {
  let app: TestApp;
  let key: Ask;
  let rowsBefore: Record<string, number>;
  let chargeId: string;

  before(async () => {
    app = await startApp();
    key = { key: app.secretKey };
    const made = await postJson(`${app.url}/v1/charges`, CHARGE, key);
    chargeId = String(made.json['id']);
    await app.worker.drain();
    rowsBefore = await countRows(app.databaseUrl);
  });
  after(() => app.close());

  function expectRefusal(reply: Reply, status: number, code: string, param?: string): void {
    expect(reply.status, reply.text).to.equal(status);
    expect(reply.error['code'], reply.text).to.equal(code);
    expect(reply.error['param'], reply.text).to.equal(param);
  }

  /** @returns the status of each answer on the connection */
  async function raw(text: string): Promise<readonly string[]> {
    return (await sendRaw(app.port, text)).map(({ status }) => status);
  }

  const head = (path: string, more: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${app.secretKey}\r\n${more}`;

  describe('another charset, a compressed body', () => {
    const body = JSON.stringify(CHARGE);
    const cases: readonly [string, Record<string, string>, string | Buffer][] = [
      ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }, body],
      ['UTF-7', { 'content-type': 'application/json; charset=utf-7' }, body],
      ['latin1 in a form', { 'content-type': `${FORM['content-type']}; charset=latin1` }, 'a=1'],
      ['no content type', {}, body],
      ['text', { 'content-type': 'text/plain' }, body],
      ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--'],
      ['XML', { 'content-type': 'application/xml' }, '<!DOCTYPE a [<!ENTITY b SYSTEM "c">]>'],
      ['gzip', { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync(body)],
      ['a gzip bomb', { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync('a'.repeat(9e6))],
      ['deflate, said twice', { ...JSON_TYPE, 'content-encoding': 'deflate, br' }, body],
    ];
    for (const [what, headers, bytes] of cases) {
      it(`answers 415 to ${what}`, async () => {
        const reply = await ask(`${app.url}/v1/charges`, { ...key, headers, body: bytes });
        expectRefusal(reply, 415, 'unsupported_content_type');
      });
    }

    it('answers 400 to gzip without its header', async () => {
      const headers = { ...JSON_TYPE };
      const reply = await ask(`${app.url}/v1/charges`, { ...key, headers, body: gzipSync(body) });
      expectRefusal(reply, 400, 'invalid_json');
    });
  });

  describe('smuggled requests', () => {
    const cases: readonly [string, string][] = [
      ['two lengths', 'Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}'],
      ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
      ['another coding before chunks', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
      ['chunked twice', 'Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n'],
      ['a coding that is none', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
      ['a signed length', 'Content-Length: +2\r\n\r\n{}'],
      ['a length that is no number', 'Content-Length: 2x\r\n\r\n{}'],
      ['a hexadecimal length', 'Content-Length: 0x2\r\n\r\n{}'],
      ['a folded header', 'X-A: b\r\n Content-Length: 2\r\n\r\n{}'],
      ['a space before the colon', 'Content-Length : 2\r\n\r\n{}'],
      ['a bare LF in a chunk size', 'Transfer-Encoding: chunked\r\n\r\n1\nA\r\n0\r\n\r\n'],
    ];
    for (const [what, more] of cases) {
      it(`answers ${what} once, with 400, and closes`, async () => {
        const second = head('/v1/charges', 'Content-Length: 0\r\n\r\n');
        const answered = await raw(head('/v1/charges', more) + second);
        expect(answered[0], answered.join()).to.equal('400');
        expect(answered.slice(1).filter((status) => status !== '400')).to.deep.equal([]);
      });
    }
  });

  describe('injected headers', () => {
    it('repeats no Request-Id, Origin or Idempotency-Key of the caller', async () => {
      const headers = {
        'request-id': 'req_mine',
        'x-request-id': 'mine',
        origin: 'https://evil.example',
      };
      const reply = await ask(`${app.url}/v1/charges`, { ...key, headers });
      expect(reply.headers['request-id']).to.match(/^req_[0-9a-z]{26}$/);
      expect(JSON.stringify(reply.headers)).to.not.match(/mine|evil/);
    });

    it('refuses a line break in a Stripe-Account, Authorization or address', async () => {
      for (const more of [
        'Stripe-Account: a\rb\r\n\r\n',
        'X-A: \0\r\n\r\n',
        'Content-Length: 2\r\nStripe-Account: acct_other\r\nContent-Type: application/json\r\n\r\n{}',
      ]) {
        expect((await raw(head('/v1/charges', more)))[0]).to.be.oneOf(['400', '403']);
      }
    });
  });

  describe('slow expressions', () => {
    const long = 90_000;
    /** This process serves, too. An expression that is not linear takes minutes. */
    const MAX_CPU_MICROSECONDS = 500_000;
    const cases: readonly [string, object, string, string][] = [
      [
        'an e-mail',
        { receipt_email: `${'a'.repeat(long)}@` },
        'parameter_invalid',
        'receipt_email',
      ],
      [
        'dots',
        { receipt_email: `a@${'a.'.repeat(long / 2)}` },
        'parameter_invalid',
        'receipt_email',
      ],
      ['a currency', { currency: 'e'.repeat(long) }, 'invalid_currency', 'currency'],
      [
        'a descriptor',
        { statement_descriptor: ' '.repeat(long) },
        'parameter_invalid',
        'statement_descriptor',
      ],
      [
        'a country',
        { shipping: { name: 'a', address: { country: 'A'.repeat(long) } } },
        'parameter_invalid',
        'shipping[address][country]',
      ],
      [
        'a payment method',
        { payment_method: 'pm_'.repeat(long / 3) },
        'parameter_invalid',
        'payment_method',
      ],
    ];
    for (const [what, change, code, param] of cases) {
      it(`answers ${what} of 90 KB at once`, async () => {
        const before = process.cpuUsage();
        const reply = await postJson(`${app.url}/v1/charges`, { ...CHARGE, ...change }, key);
        expectRefusal(reply, 400, code, param);
        expect(process.cpuUsage(before).user).to.be.below(MAX_CPU_MICROSECONDS);
      });
    }
  });

  describe('SQL and foreign names where an id belongs', () => {
    const injected = [`' OR 1=1--`, `'; DROP TABLE paymount.charges;--`, '$1', `ch_' UNION SELECT`];
    for (const text of injected) {
      it(`takes ${text} for a name that names nothing`, async () => {
        const name = encodeURIComponent(text);
        expectRefusal(
          await ask(`${app.url}/v1/charges?starting_after=${name}`, key),
          400,
          'invalid_cursor',
          'starting_after',
        );
        expectRefusal(await ask(`${app.url}/v1/charges/${name}`, key), 404, 'resource_missing');
        expectRefusal(
          await ask(`${app.url}/v1/charges?expand[]=${name}`, key),
          400,
          'expand_invalid',
          'expand',
        );
        expectRefusal(
          await postJson(`${app.url}/v1/refunds`, { charge: text }, key),
          400,
          'resource_missing',
          'charge',
        );
        const listed = await ask(`${app.url}/v1/refunds?charge=${name}`, key);
        expect(listed.status === 400 || listed.json['has_more'] === false, listed.text).to.equal(
          true,
        );
      });
    }

    it('refuses the cursor of another list', async () => {
      for (const list of ['refunds', 'events', 'webhook_endpoints', 'balance_transactions']) {
        expectRefusal(
          await ask(`${app.url}/v1/${list}?starting_after=${chargeId}`, key),
          400,
          'invalid_cursor',
          'starting_after',
        );
      }
    });

    it('refuses an edited cursor', async () => {
      const edited = chargeId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      expectRefusal(
        await ask(`${app.url}/v1/charges?ending_before=${edited}`, key),
        400,
        'invalid_cursor',
        'ending_before',
      );
    });
  });

  describe('after all of them', () => {
    it('not one row was left behind', async () => {
      expect(await countRows(app.databaseUrl)).to.deep.equal(rowsBefore);
      const charge = await ask(`${app.url}/v1/charges/${chargeId}`, key);
      expect(charge.json['amount_refunded']).to.equal(0);
    });
  });
});
