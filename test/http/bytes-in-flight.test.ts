import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { BOUNDARY, formData, PDF, PURPOSE, postParts } from '../support/upload-file.ts';

const MB = 1_048_576;
const LIMITS = { perCaller: 6 * MB, perProcess: 10 * MB };
const FILE = { name: 'file', filename: 'a.pdf', type: 'application/pdf' };
const CONTENT = Buffer.concat([PDF, Buffer.alloc(4 * MB, 32)]);

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
  /** Sends an upload without its end. */
  const hang = (key: string): void => {
    const sent = httpRequest(`${app.url}/v1/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': 5 * MB,
      },
      agent: false,
    });
    sent.on('error', () => undefined);
    sent.write(formData([PURPOSE, { ...FILE, content: CONTENT }], ''));
    closings.push(() => sent.destroy());
  };

  it('of one account are limited, and those of others are not', async () => {
    // The one of both that arrives first has the place.
    await eventually(async () => {
      closings.pop()?.();
      hang(app.secretKey);
      return (await upload(app.secretKey)) === '429 bytes_limit_reached';
    });
    expect(await upload(await newKey())).to.equal('200');
    closings.pop()?.();
    await eventually(async () => (await upload(app.secretKey)) === '200');
  });

  it('of a process are limited, whoever sends them', async () => {
    const keys = [await newKey(), await newKey(), await newKey()] as const;
    await eventually(async () => {
      for (const close of closings.splice(0)) close();
      for (const key of keys.slice(1)) hang(key);
      return (await upload(keys[0])) === '503 bodies_busy';
    });
  });
});
