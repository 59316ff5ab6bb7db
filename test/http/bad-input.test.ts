import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, postForm, postJson } from '../support/ask.ts';
import { CHARGE, FORM_CASES, JSON_CASES, withMember } from '../support/bad-input-cases.ts';
import { countRows } from '../support/row-count.ts';

describe('bad input', () => {
  let app: TestApp;
  let rowsBefore: Record<string, number>;
  let key: Ask;
  let charges: string;

  before(async () => {
    app = await startApp();
    key = { key: app.secretKey, headers: { 'idempotency-key': 'one-key-for-all' } };
    charges = `${app.url}/v1/charges`;
    rowsBefore = await countRows(app.databaseUrl);
  });
  after(() => app.close());

  for (const [what, body, status, code, param] of JSON_CASES) {
    it(`answers ${status} ${code} to ${what} in JSON`, async () => {
      const reply = await postJson(charges, body ?? 'null', key);
      expect(reply.status, reply.text).to.equal(status);
      expect(reply.error['code'], reply.text).to.equal(code);
      expect(reply.error['param']).to.equal(param);
    });
  }

  for (const [what, body, status, code, param] of FORM_CASES) {
    it(`answers ${status} ${code} to ${what} in a form`, async () => {
      const reply = await postForm(charges, body, key);
      expect(reply.status, reply.text).to.equal(status);
      expect(reply.error['code'], reply.text).to.equal(code);
      expect(reply.error['param']).to.equal(param);
    });
  }

  it('wrote nothing', async () => {
    expect(await countRows(app.databaseUrl)).to.deep.equal(rowsBefore);
  });

  it('takes a whole number however it is written in JSON', async () => {
    for (const [text, amount] of [
      ['1.0e2', 100],
      ['12.00', 12],
    ] as const) {
      const reply = await postJson(charges, withMember(`"amount":${text}`), { key: app.secretKey });
      expect(reply.json['amount']).to.equal(amount);
    }
  });

  it('keeps what is only unusual: emoji, combining marks, right-to-left text', async () => {
    const description = 'שלום 🎉 e\u0301';
    const made = await postJson(charges, { ...CHARGE, description }, { key: app.secretKey });
    expect(made.status, made.text).to.equal(200);
    const found = await ask(`${charges}/${String(made.json['id'])}`, { key: app.secretKey });
    expect(found.json['description']).to.equal(description);
  });

  it('takes 500 emoji for 500 characters', async () => {
    const metadata = { ['🔑'.repeat(40)]: '🎉'.repeat(500) };
    const made = await postJson(charges, { ...CHARGE, metadata }, { key: app.secretKey });
    expect(made.json['metadata']).to.deep.equal(metadata);
  });
});
