import { expect } from 'chai';
import { visualRuns } from '../../../packages/documents/src/pdf/right-to-left.ts';

/** The parts from left to right; `<` is before those whose characters are drawn from right to left. */
const drawn = (line: string): readonly string[] =>
  visualRuns(line).map(({ text, isRightToLeft }) => (isRightToLeft ? `<${text}` : text));

describe('The order in which a line is drawn', () => {
  const lines: Readonly<Record<string, readonly string[]>> = {
    'Tea for two': ['Tea for two'],
    // All of it is one part, whose words are drawn from right to left too.
    'חברת התה בעמ': ['<חברת התה בעמ'],
    'شركة الشاي': ['<شركة الشاي'],
    // A number keeps its digits in order, and is to the left of the words before it.
    'תה 50%': ['50%', '<תה '],
    'תה 1,250.75 ירוק': ['<‏ ירוק'.replace('\u200f', ''), '1,250.75', '<תה '],
    // Brackets are mirrored, and enclose what they enclosed.
    'תה (ירוק)': ['<תה )ירוק('],
    'תה (2 קג)': ['<‏ קג('.replace('\u200f', ''), '2', '<תה )'],
    // Words of the other direction are one part of their own.
    'Tea חברת התה Ltd': ['Tea ', '<חברת התה', ' Ltd'],
    'חברת Tea House בעמ': ['< בעמ', 'Tea House', '<חברת '],
    // A number after Latin letters is read with them.
    'Tea 2 חברת': ['Tea 2 ', '<חברת'],
    '2 kg': ['2 kg'],
    '': [],
  };
  for (const [line, expected] of Object.entries(lines)) {
    it(`is that of its letters: ${line || 'an empty line'}`, () => {
      expect(drawn(line)).to.deep.equal(expected);
    });
  }
});
