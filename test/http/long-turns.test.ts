import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { leastTurnMs } from '../support/longest-turn.ts';
import { PDF, PURPOSE, postParts } from '../support/upload-file.ts';

/** No turn of the event loop may take longer, because all others wait for its end. */
const LIMIT_MS = 50;
const FIVE_MB = 5_242_880;

describe('a turn of the event loop', () => {
  let app: TestApp;

  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('is short while a form of a million empty parts is refused', async () => {
    const part = '\r\n--b';
    const body = Buffer.from(`--b${part.repeat(FIVE_MB / part.length)}--\r\n`);
    const post = async (): Promise<void> => {
      const { status, error } = await ask(`${app.url}/v1/files`, {
        key: app.secretKey,
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
      expect([status, error['message']]).to.deep.equal([400, 'The form has more than 20 parts.']);
    };
    expect(await leastTurnMs(post, LIMIT_MS)).to.be.below(LIMIT_MS);
  });

  it('is short while the largest file is stored', async () => {
    const content = Buffer.concat([PDF, Buffer.alloc(FIVE_MB - PDF.length, 32)]);
    const file = { name: 'file', filename: 'a.pdf', type: 'application/pdf', content };
    const post = async (): Promise<void> => {
      const reply = await postParts(`${app.url}/v1/files`, [PURPOSE, file], { key: app.secretKey });
      expect(reply.json, reply.text).to.include({ size: FIVE_MB });
    };
    expect(await leastTurnMs(post, LIMIT_MS)).to.be.below(LIMIT_MS);
  });
});
