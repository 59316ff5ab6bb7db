import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { postJson } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { BOUNDARY, formData, PDF, PURPOSE, postParts } from '../support/upload-file.ts';

const MB = 1_048_576;
/** The least that the option takes: six of the largest files. */
const LIMITS = { perCaller: 32 * MB };
const OF_CALLER = 6;
const FILE = { name: 'file', filename: 'a.pdf', type: 'application/pdf' };
const CONTENT = Buffer.concat([PDF, Buffer.alloc(5 * MB - PDF.length, 32)]);

describe('uploads in progress', () => {
  let app: TestApp;
  let closings: (() => void)[];

  before(async () => {
    app = await startApp({ paymount: { bytesInFlight: LIMITS } });
  });
  after(() => app.close());
  beforeEach(() => {
    closings = [];
  });
  afterEach(() => {
    for (const close of closings) close();
  });

  const newKey = async (): Promise<string> => {
    const shop = { name: 'Another shop', country: 'DE', default_currency: 'eur' };
    const { id: account } = await app.paymount.accounts.create(shop);
    const named = { account, livemode: false, type: 'secret', name: 'uploads' } as const;
    return (await app.paymount.keys.create(named)).secret;
  };
  const upload = async (key: string) => {
    const { status, error } = await postParts(
      `${app.url}/v1/files`,
      [PURPOSE, { ...FILE, content: CONTENT }],
      { key },
    );
    return `${status} ${error['code'] ?? ''}`.trim();
  };
  /** Sends as many uploads as an account may have, without their ends. */
  const hangAll = (key: string): Promise<unknown> =>
    Promise.all(Array.from({ length: OF_CALLER }, () => hang(key)));
  /** @returns when all was sent that is sent */
  const hang = (key: string): Promise<void> => {
    const sent = httpRequest(`${app.url}/v1/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': 5 * MB + 60_000,
      },
      agent: false,
    });
    closings.push(() => sent.destroy());
    return new Promise((resolve) => {
      sent.on('error', () => resolve());
      sent.write(formData([PURPOSE, { ...FILE, content: CONTENT }], ''), () => resolve());
    });
  };

  it('of one account are limited, and those of others are not', async () => {
    await eventually(async () => {
      for (const close of closings.splice(0)) close();
      await hangAll(app.secretKey);
      return (await upload(app.secretKey)) === '429 bytes_limit_reached';
    });
    expect(await upload(await newKey())).to.equal('200');
    // What is small is never refused because of uploads.
    const sale = { amount: 1_000, currency: 'eur', source: 'tok_visa' };
    const { status, text } = await postJson(`${app.url}/v1/charges`, sale, { key: app.secretKey });
    expect(status, text).to.equal(200);
    closings.pop()?.();
    await eventually(async () => (await upload(app.secretKey)) === '200');
  });
});
