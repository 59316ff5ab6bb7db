import { expect } from 'chai';
import { StreamBlocks } from '../../../packages/cli/src/listen/stream-blocks.ts';

describe('the blocks of a stream', () => {
  it('are the same however their bytes are cut', () => {
    const text =
      'retry: 2000\n\nid: 1\ndata: café 😀\n\n: hi\n\nevent: end\r\ndata: a\r\ndata:b\r\n\r\n';
    const bytes = Buffer.from(text);
    const whole = new StreamBlocks().read(bytes);
    expect(whole).to.deep.equal([
      { retryMs: 2000 },
      { id: '1', data: 'café 😀' },
      {},
      { event: 'end', data: 'a\nb' },
    ]);
    for (let at = 0; at <= bytes.length; at += 1) {
      const blocks = new StreamBlocks();
      const read = [...blocks.read(bytes.subarray(0, at)), ...blocks.read(bytes.subarray(at))];
      expect(read, `cut at ${at}`).to.deep.equal(whole);
    }
  });

  it('are given once they are whole', () => {
    const blocks = new StreamBlocks();
    expect(blocks.read(Buffer.from('data: a\n'))).to.deep.equal([]);
    expect(blocks.read(Buffer.from('\ndata: b'))).to.deep.equal([{ data: 'a' }]);
  });

  it('are bounded, in one line and in many', () => {
    const line = Buffer.alloc(2 ** 20 + 1, 'x');
    expect(() => new StreamBlocks().read(line)).to.throw('sent too much data');
    const many = new StreamBlocks();
    expect(() => {
      for (let count = 0; count < 2 ** 18; count += 1) many.read(Buffer.from('data: x\n'));
    }).to.throw('sent too much data');
  });
});
