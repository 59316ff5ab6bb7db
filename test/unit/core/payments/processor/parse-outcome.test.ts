import { expect } from 'chai';
import { parseOutcome } from '../../../../../packages/core/src/payments/processor/parse-outcome.ts';

const CARD = '4242 4242 4242 4242';

describe('what a processor answered', () => {
  it('is kept without the card number that its message repeats', () => {
    const declined = { outcome: 'declined', code: 'card_declined', declineCode: 'lost_card' };
    const message = `The card ${CARD} was reported lost.`;
    expect(parseOutcome({ ...declined, message, retry: 'never' })).to.deep.equal({
      result: { ...declined, message: 'The card ... was reported lost.', retry: 'never' },
    });
  });

  it('keeps the address to which people are sent as it is', () => {
    const asked = {
      outcome: 'action_required',
      redirectUrl: `https://bank.test/${CARD.replaceAll(' ', '')}`,
      processorReference: 'p_1',
    };
    expect(parseOutcome(asked)).to.deep.equal({ result: asked });
  });
});
