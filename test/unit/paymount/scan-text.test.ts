import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import fc from 'fast-check';
import { ScannedText } from '../../../packages/paymount/src/commands/scan/scan-text.ts';

function scan(chunks: readonly string[], firstLine = 1): string[] {
  const text = new ScannedText(firstLine);
  const placed = [...chunks.flatMap((chunk) => [...text.push(chunk)]), ...text.end()];
  return placed.map(({ line, column, found }) => `${line}:${column} ${found.credential.reveal()}`);
}

describe('a text that is scanned as it comes', () => {
  const secret = mintKey('secret', 'live');
  const restricted = mintKey('restricted', 'test', 'Shop2026');

  it('tells line and column of each credential', () => {
    const text = `first\r\n  "${secret}",\n\n${restricted}`;
    expect(scan([text])).to.deep.equal([`2:4 ${secret}`, `4:1 ${restricted}`]);
    expect(scan([text], 40)).to.deep.equal([`41:4 ${secret}`, `43:1 ${restricted}`]);
  });

  it('finds the same however it is cut', () => {
    const text = `a\n${secret}${secret}x\n${'long '.repeat(30)}${restricted}\n${secret}`;
    const whole = scan([text]);
    expect(whole).to.have.length(4);
    const cuts = fc.array(fc.nat(text.length), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (places) => {
        const ends = [...places.sort((a, b) => a - b), text.length];
        const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        expect(scan(chunks)).to.deep.equal(whole);
      }),
    );
    expect(scan([...text])).to.deep.equal(whole);
  });

  it('passes over publishable keys, which are no secrets', () => {
    expect(scan([mintKey('publishable', 'live')])).to.deep.equal([]);
  });
});
