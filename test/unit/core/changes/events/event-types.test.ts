import { EVENT_PATTERNS, patternsFor } from '@paymount/core/changes';
import { EndpointCreateInput } from '@paymount/core/events';
import { expect } from 'chai';

function parseError(type: string): string | undefined {
  const read = EndpointCreateInput.safeParse({ url: 'https://a.example', enabled_events: [type] });
  return read.error?.issues[0]?.message;
}

describe('the types of events', () => {
  it('selects a type by itself, its family and the star', () => {
    expect(patternsFor('subscription.payment_failed')).to.deep.equal([
      'subscription.payment_failed',
      'subscription.*',
      '*',
    ]);
  });

  it('has a pattern for all types, and one for each family', () => {
    expect(EVENT_PATTERNS.slice(0, 3)).to.deep.equal(['*', 'charge.*', 'subscription.*']);
  });

  it('suggests the nearest type for a misspelled one', () => {
    expect(parseError('charge.suceeded')).to.equal(
      'There is no event type "charge.suceeded"; did you mean charge.succeeded?',
    );
    expect(parseError('payout.pade')).to.contain('did you mean payout.paid?');
    expect(parseError('charge.*')).to.equal(undefined);
  });
});
