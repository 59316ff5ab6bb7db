import { EVENT_TYPES } from '@paymount/core/changes';
import { EVENT_CATALOGUE } from '@paymount/core/events';
import { expect } from 'chai';
import { CHARGE_TRANSITIONS } from '../../../../../packages/core/src/payments/charges/charge-states.ts';
import { REFUND_TRANSITIONS } from '../../../../../packages/core/src/payments/refunds/refund-states.ts';

describe('the event catalogue', () => {
  it('has a row for each type, in the family that its name begins with', () => {
    const rows = Object.entries(EVENT_CATALOGUE);
    expect(rows.map(([type]) => type).sort()).to.deep.equal([...EVENT_TYPES].sort());
    for (const [type, { family }] of rows) expect(type.split('.')[0]).to.equal(family);
  });

  it('says of each type which transitions record it, as the state tables do', () => {
    const recorded = [
      ...Object.entries(CHARGE_TRANSITIONS).map(([name, { event }]) => [event, `charges.${name}`]),
      ...Object.entries(REFUND_TRANSITIONS).map(([name, { event }]) => [event, `refunds.${name}`]),
    ].filter(([event]) => event !== null);
    const said = Object.entries(EVENT_CATALOGUE).flatMap(([type, { firedBy }]) =>
      firedBy.map((transition) => [type, transition]),
    );
    expect(said.sort()).to.deep.equal(recorded.sort());
  });
});
