import type { TokenizeInput } from '@paymount/core/payments';
import { SandboxProcessor, TEST_CARDS } from '@paymount/processor-sandbox';
import { expect } from 'chai';
import { sharedMemory } from '../../support/operation-memory.ts';

const now = new Date('2026-11-21T09:30:00.000Z');
const clock = { now: () => now, monotonicMs: () => 0, shiftMs: 0 };
const sandbox = new SandboxProcessor({ memory: sharedMemory(), clock });

function tokenize(input: TokenizeInput) {
  return sandbox.tokenize(input, { now });
}

function number(digits: string, change: object = {}) {
  return tokenize({
    type: 'card',
    card: { number: digits, expMonth: 12, expYear: 2030, cvc: '123', ...change },
  });
}

/** The published numbers, written out once more from the documentation. */
const PUBLISHED = {
  visa: ['4242424242424242', 'visa', 'credit'],
  visa_debit: ['4000056655665556', 'visa', 'debit'],
  mastercard: ['5555555555554444', 'mastercard', 'credit'],
  mastercard_debit: ['5200828282828210', 'mastercard', 'debit'],
  mastercard_prepaid: ['5105105105105100', 'mastercard', 'prepaid'],
  amex: ['378282246310005', 'amex', 'credit'],
  discover: ['6011111111111117', 'discover', 'credit'],
  diners: ['3056930009020004', 'diners', 'credit'],
  jcb: ['3566002020360505', 'jcb', 'credit'],
  unionpay: ['6200000000000005', 'unionpay', 'credit'],
  visa_chargeDeclined: ['4000000000000002', 'visa', 'credit'],
  visa_chargeDeclinedInsufficientFunds: ['4000000000009995', 'visa', 'credit'],
  visa_chargeDeclinedLostCard: ['4000000000009987', 'visa', 'credit'],
  visa_chargeDeclinedStolenCard: ['4000000000009979', 'visa', 'credit'],
  visa_chargeDeclinedVelocityLimitExceeded: ['4000000000006975', 'visa', 'credit'],
  chargeDeclinedExpiredCard: ['4000000000000069', 'visa', 'credit'],
  chargeDeclinedIncorrectCvc: ['4000000000000127', 'visa', 'credit'],
  chargeDeclinedProcessingError: ['4000000000000119', 'visa', 'credit'],
  radarBlock: ['4100000000000019', 'visa', 'credit'],
  chargeCustomerFail: ['4000000000000341', 'visa', 'credit'],
  authenticationRequired: ['4000002500003155', 'visa', 'credit'],
  createDispute: ['4000000000000259', 'visa', 'credit'],
  createDisputeProductNotReceived: ['4000000000002685', 'visa', 'credit'],
  createDisputeInquiry: ['4000000000001976', 'visa', 'credit'],
  bypassPending: ['4000000000000077', 'visa', 'credit'],
  pendingRefund: ['4000000000007726', 'visa', 'credit'],
  refundFail: ['4000000000005126', 'visa', 'credit'],
} as const;

const TOKENS_ONLY = [
  'timeout_approved',
  'timeout_declined',
  'unknown_forever',
  'not_sent',
  'amount_tampered',
  'alert_then_chargeback',
  'refundRejected',
  'recovers_on_attempt_3',
  'authentication_required_off_session',
];

/** Tokens whose charges are counted: each payment method has a serial number. */
const COUNTED = [
  'declined_from_charge_2',
  'expired_from_charge_2',
  'lost_from_charge_2',
  'recovers_on_charge_3',
];

describe('the cards of the sandbox', () => {
  it('are the published ones and no others', () => {
    const names = TEST_CARDS.map(({ name }) => name);
    expect(names).to.have.members([...Object.keys(PUBLISHED), ...TOKENS_ONLY, ...COUNTED]);
  });

  for (const [name, [digits, brand, funding]] of Object.entries(PUBLISHED)) {
    it(`tokenizes ..${digits.slice(-4)} as tok_${name}, by number, tok_ and pm_card_`, async () => {
      const change = brand === 'amex' ? { cvc: '1234' } : {};
      const byNumber = await number(digits, change);
      expect(byNumber).to.deep.include({ result: 'tokenized' });
      expect(byNumber).to.have.nested.include({
        'facts.processorToken': `tok_${name}`,
        'facts.card.brand': brand,
        'facts.card.funding': funding,
        'facts.card.last4': digits.slice(-4),
        'facts.card.expMonth': 12,
        'facts.card.expYear': 2030,
      });
      for (const token of [`tok_${name}`, `pm_card_${name}`]) {
        const byToken = await tokenize({ type: 'card', token });
        if (byNumber.result !== 'tokenized') throw new Error(byNumber.result);
        if (byNumber.facts.type !== 'card') throw new Error(byNumber.facts.type);
        expect(byToken).to.have.nested.include({
          'facts.processorToken': `tok_${name}`,
          'facts.card.fingerprint': byNumber.facts.card.fingerprint,
          'facts.card.expYear': 2028,
        });
      }
      expect(JSON.stringify(byNumber)).to.not.contain(digits);
    });
  }

  it('take spaces in the number', async () => {
    expect((await number('4242 4242 4242 4242')).result).to.equal('tokenized');
  });

  for (const name of TOKENS_ONLY) {
    it(`include the token tok_${name}, which has no number`, async () => {
      expect(await tokenize({ type: 'card', token: `pm_card_${name}` })).to.have.nested.include({
        'facts.processorToken': `tok_${name}`,
        'facts.card.last4': '0000',
      });
    });
  }

  for (const name of COUNTED) {
    it(`give each payment method of tok_${name} a serial number`, async () => {
      const tokens = [];
      for (let turn = 0; turn < 2; turn += 1) {
        const answer = await tokenize({ type: 'card', token: `pm_card_${name}` });
        tokens.push(answer.result === 'tokenized' && answer.facts.processorToken);
      }
      expect(tokens[0]).to.match(new RegExp(`^tok_${name}:[0-9a-f-]{36}$`));
      expect(tokens[0]).not.to.equal(tokens[1]);
    });
  }

  it('do not include other tokens', async () => {
    for (const token of [
      'tok_',
      'tok_x',
      'visa',
      'pm_card_',
      'pm_visa',
      'tok_toString',
      'tok_Visa',
    ]) {
      expect(await tokenize({ type: 'card', token }), token).to.deep.equal({
        result: 'unknown_token',
      });
    }
  });

  for (const [digits, code] of [
    ['4242424242424241', 'incorrect_number'],
    ['4000000000000000', 'incorrect_number'],
    ['42', 'incorrect_number'],
    ['4242424242424242424242', 'incorrect_number'],
    ['4111111111111111', 'live_card_in_sandbox'],
    ['5424000000000015', 'live_card_in_sandbox'],
  ] as const) {
    it(`refuses ..${digits.slice(-4)} of ${digits.length} digits as ${code}, without repeating it`, async () => {
      const answer = await number(digits);
      expect(answer).to.deep.include({ result: 'refused', code });
      expect(JSON.stringify(answer)).to.not.contain(digits);
    });
  }

  for (const [change, code] of [
    [{ expMonth: 0 }, 'invalid_expiry_month'],
    [{ expMonth: 13 }, 'invalid_expiry_month'],
    [{ expMonth: 10, expYear: 2026 }, 'invalid_expiry_year'],
    [{ expYear: 2025 }, 'invalid_expiry_year'],
    [{ cvc: '12' }, 'invalid_cvc'],
    [{ cvc: '1234' }, 'invalid_cvc'],
  ] as const) {
    it(`refuses ${JSON.stringify(change)} as ${code}`, async () => {
      expect(await number('4242424242424242', change)).to.deep.include({ result: 'refused', code });
    });
  }

  it('take the month in which they expire, and 4 digits of an American Express only', async () => {
    expect((await number('4242424242424242', { expMonth: 11, expYear: 2026 })).result).to.equal(
      'tokenized',
    );
    expect(await number('378282246310005', { cvc: '123' })).to.deep.include({
      code: 'invalid_cvc',
    });
  });

  it('say whether the security code passed', async () => {
    const { cvc: _, ...without } = {
      number: '4242424242424242',
      expMonth: 1,
      expYear: 2030,
      cvc: '',
    };
    for (const [answer, check] of [
      [await number('4242424242424242'), 'pass'],
      [await number('4000000000000127'), 'fail'],
      [await tokenize({ type: 'card', card: without }), null],
    ] as const) {
      expect(answer).to.have.nested.property('facts.card.checks.cvcCheck', check);
    }
  });
});
