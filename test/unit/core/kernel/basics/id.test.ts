import { newId, parseId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { TypeID, typeid } from 'typeid-js';
import { firstIdAt, madeAtMs } from '../../../../../packages/core/src/kernel/basics/id.ts';

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

  it('sorts by creation: 100,000 of one process ascend', () => {
    const ids = Array.from({ length: 100_000 }, () => newId('evt'));
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ''))).to.equal(true);
  });

  it('is a TypeID of a UUID version 7, as its reference implementation reads it', () => {
    for (let count = 0; count < 1_000; count += 1) {
      const uuid = TypeID.fromString(newId('ch'), 'ch').toUUID();
      expect(uuid).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      const ms = Number.parseInt(uuid.slice(0, 13).replace('-', ''), 16);
      expect(ms).to.be.within(Date.now() - 10_000, Date.now());
    }
    const reference = typeid('ch').toString();
    expect(parseId('ch', reference)).to.equal(reference);
    // The 128 bits of a UUID leave the first character three.
    expect(parseId('ch', `ch_8${reference.slice(4)}`)).to.equal(undefined);
  });

  it('differs from others by 48 random bits: of 100,000 no two end alike', () => {
    const ends = Array.from({ length: 100_000 }, () => newId('evt').slice(-10));
    expect(new Set(ends).size).to.be.at.least(99_990);
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
