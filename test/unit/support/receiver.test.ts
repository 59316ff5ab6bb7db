import { expect } from 'chai';
import { request } from 'undici';
import { type Receiver, startReceiver } from '../../support/receiver.ts';

describe('the receiver of the tests', () => {
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
  });

  after(() => receiver.close());

  it('answers by script, then 200, and keeps the raw bytes', async () => {
    receiver.script(500, { status: 429, headers: { 'retry-after': '7' }, body: 'later' });
    const statuses: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const response = await request(receiver.url, { method: 'POST', body: '{"a": 1}\n' });
      await response.body.dump();
      statuses.push(response.statusCode);
    }
    expect(statuses).to.deep.equal([500, 429, 200]);
    const [first] = await receiver.waitFor(3);
    expect(first?.body.toString()).to.equal('{"a": 1}\n');
    expect(first?.method).to.equal('POST');
  });

  it('says how many requests arrived when it waits in vain', async () => {
    let message = '';
    await receiver.waitFor(99, 10).catch((error: Error) => {
      message = error.message;
    });
    expect(message).to.equal('The receiver waited in vain: 3 of 99 requests arrived within 10 ms');
  });

  it('resets a connection', async () => {
    receiver.script('reset');
    let code = '';
    await request(receiver.url).catch((error: NodeJS.ErrnoException) => {
      code = error.code ?? '';
    });
    expect(code).to.equal('ECONNRESET');
  });
});
