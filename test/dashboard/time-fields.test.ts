import { expect } from 'chai';
import { fromLocalField, toLocalField } from '../../packages/dashboard/app/ui/local-field.ts';

describe('The time of a field', () => {
  it('is one from 1970 to 9999, and nothing else', () => {
    const at = (text: string) => fromLocalField(text);
    expect(at('2026-03-05T10:30')).to.equal(new Date(2026, 2, 5, 10, 30).toISOString());
    expect(toLocalField(at('2026-03-05T10:30'))).to.equal('2026-03-05T10:30');
    for (const text of ['', 'x', '0002-03-05T10:30', '1969-03-05T10:30', '12026-03-05T10:30']) {
      expect(at(text), text).to.equal(undefined);
    }
  });
});
