import { newId, parseId } from '@paymount/core';
import { expect } from 'chai';

describe('an id', () => {
  it('is its prefix and 26 characters, and reads back', () => {
    const id = newId('ch');
    expect(id).to.match(/^ch_[0-9a-z]{26}$/);
    expect(parseId('ch', id)).to.equal(id);
  });

  it('names nothing under another prefix, length or alphabet', () => {
    const id = newId('ch');
    for (const text of [
      id.replace('ch_', 're_'),
      `${id}0`,
      id.slice(0, -1),
      id.toUpperCase(),
      '',
      'ch_',
    ]) {
      expect(parseId('ch', text), text).to.equal(undefined);
    }
    expect(parseId('ch', `ch_${'u'.repeat(26)}`)).to.equal(undefined);
  });

  it('sorts by creation, as its first ten characters count milliseconds', () => {
    const before = newId('evt').slice(4, 14);
    const after = newId('evt').slice(4, 14);
    expect(before <= after).to.equal(true);
  });
});
