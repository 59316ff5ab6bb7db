import { EVENT_TYPES } from '@paymount/core/changes';
import { EVENT_CATALOGUE, transitionsThatRecord } from '@paymount/core/events';
import { expect } from 'chai';
import { EVENTS } from '../../../../support/event-table.ts';

describe('the event catalogue', () => {
  it('has these types, each with a row', () => {
    expect(EVENT_TYPES).to.deep.equal(Object.keys(EVENTS));
    expect(Object.keys(EVENT_CATALOGUE)).to.have.members([...EVENT_TYPES]);
  });

  it('says of each type which transitions record it', () => {
    for (const type of EVENT_TYPES) {
      expect(transitionsThatRecord(type), type).to.deep.equal(EVENTS[type]?.recordedBy ?? []);
    }
  });
});
