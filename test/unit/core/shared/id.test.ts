import { newId, parseId } from '@paymount/core';
import { expect } from 'chai';
import { firstIdAt, madeAtMs } from '../../../../packages/core/src/shared/id.ts';

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

describe('the first id of a moment', () => {
  it('is less than or equal to any that is made from then on, and greater than any before', () => {
    const ms = Date.now();
    const id = newId('evt');
    expect(firstIdAt('evt', ms) <= id).to.equal(true);
    expect(firstIdAt('evt', ms + 60_000) > id).to.equal(true);
    expect(firstIdAt('evt', Date.parse('2026-11-21T09:30:00.000Z'))).to.equal(
      'evt_01m7yq1we00000000000000000',
    );
    expect(firstIdAt('evt', -1)).to.equal('evt_00000000000000000000000000');
  });

  it('tells when an id was made', () => {
    const ms = Date.parse('2026-11-21T09:30:00.123Z');
    expect(madeAtMs(firstIdAt('ch', ms))).to.equal(ms);
    expect(madeAtMs(newId('evt'))).to.be.within(Date.now() - 1_000, Date.now());
  });
});
