import { expect } from 'chai';
import { ResponseHeads } from '../../../../packages/webhooks/src/egress/response-heads.ts';

const START = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n';

describe('A head that arrives in single bytes', () => {
  const readSingly = (heads: ResponseHeads, text: string): string => {
    const passed: Buffer[] = [];
    for (const byte of Buffer.from(text, 'latin1')) passed.push(heads.read(Buffer.of(byte)));
    return Buffer.concat(passed).toString('latin1');
  };

  it('is read as if it had arrived at once', () => {
    const head = 'Content-Length: 2\ncontent-length: 2\r\nX: a\r\n  b\r\n\r\n';
    const heads = new ResponseHeads();
    heads.expect();
    expect(readSingly(heads, `${START}${head}hi`)).to.equal(
      'HTTP/1.1 200 OK\r\nX: a b\r\nContent-Length: 2\r\n\r\nhi',
    );
    expect(heads.leftOut).to.equal(25);
  });

  it('costs little time of the processor, and goes to the parser after 16 KiB', () => {
    const lines = `HTTP/1.1 200 OK\r\n${'a\n'.repeat(8_300)}`.slice(0, 16_384);
    const heads = new ResponseHeads();
    heads.expect();
    const before = process.cpuUsage();
    expect(readSingly(heads, lines)).to.equal('');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).to.be.below(300);
    expect(readSingly(heads, 'bc')).to.equal(`${lines}bc`);
  });
});
