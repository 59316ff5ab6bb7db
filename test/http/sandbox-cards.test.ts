import { expect } from 'chai';
import { type DebitShop, startDebitShop } from '../support/debit-shop.ts';
import { SANDBOX_NUMBERS } from '../support/sandbox-numbers.ts';

const MINUTE = 60_000;

/** What a charge of a card is answered with. */
interface Answer {
  readonly status: number;
  /** Of the error: type, code, decline code, and the message that a payer may read. */
  readonly error?: readonly [string, string, string | undefined, string];
  /** Of the charge: status, type of the outcome, network status, reason, risk level. */
  readonly charge: readonly (string | null)[];
  readonly events: readonly string[];
}

const APPROVED: Answer = {
  status: 200,
  charge: ['succeeded', 'authorized', 'approved_by_network', null, 'normal'],
  events: ['charge.succeeded'],
};
const UNKNOWN: Answer = {
  status: 200,
  charge: ['pending', 'unknown', 'not_known_yet', null, 'unknown'],
  events: [],
};
const NOT_SENT: Answer = {
  status: 502,
  error: [
    'api_error',
    'processor_error',
    undefined,
    'The processor could not be reached; nothing was sent.',
  ],
  charge: ['failed', 'invalid', 'not_sent_to_network', 'processor_error', 'unknown'],
  events: ['charge.failed'],
};
const BLOCKED: Answer = {
  status: 402,
  error: ['card_error', 'card_declined', 'fraudulent', 'Your card was declined.'],
  charge: ['failed', 'blocked', 'not_sent_to_network', 'fraudulent', 'highest'],
  events: ['charge.failed'],
};

function declined(code: string, reason: string, message = 'Your card was declined.'): Answer {
  return {
    status: 402,
    error: ['card_error', code, reason, message],
    charge: ['failed', 'issuer_declined', 'declined_by_network', reason, 'normal'],
    events: ['charge.failed'],
  };
}

const NO_FUNDS = declined(
  'card_declined',
  'insufficient_funds',
  'Your card has insufficient funds.',
);

/** Every published card: its name, its number if it has one, brand and funding, and the answer. */
const CARDS: readonly (readonly [name: string, number: string, kind: string, answer: Answer])[] = [
  ['visa', '4242424242424242', 'visa credit', APPROVED],
  ['visa_debit', '4000056655665556', 'visa debit', APPROVED],
  ['mastercard', '5555555555554444', 'mastercard credit', APPROVED],
  ['mastercard_debit', '5200828282828210', 'mastercard debit', APPROVED],
  ['mastercard_prepaid', '5105105105105100', 'mastercard prepaid', APPROVED],
  ['amex', '378282246310005', 'amex credit', APPROVED],
  ['discover', '6011111111111117', 'discover credit', APPROVED],
  ['diners', '3056930009020004', 'diners credit', APPROVED],
  ['jcb', '3566002020360505', 'jcb credit', APPROVED],
  ['unionpay', '6200000000000005', 'unionpay credit', APPROVED],
  [
    'visa_chargeDeclined',
    '4000000000000002',
    'visa credit',
    declined('card_declined', 'generic_decline'),
  ],
  ['visa_chargeDeclinedInsufficientFunds', '4000000000009995', 'visa credit', NO_FUNDS],
  [
    'visa_chargeDeclinedLostCard',
    '4000000000009987',
    'visa credit',
    declined('card_declined', 'lost_card'),
  ],
  [
    'visa_chargeDeclinedStolenCard',
    '4000000000009979',
    'visa credit',
    declined('card_declined', 'stolen_card'),
  ],
  [
    'visa_chargeDeclinedVelocityLimitExceeded',
    '4000000000006975',
    'visa credit',
    declined('card_declined', 'card_velocity_exceeded'),
  ],
  [
    'chargeDeclinedExpiredCard',
    '4000000000000069',
    'visa credit',
    declined('expired_card', 'expired_card', 'Your card has expired.'),
  ],
  [
    'chargeDeclinedIncorrectCvc',
    '4000000000000127',
    'visa credit',
    declined('incorrect_cvc', 'incorrect_cvc', "Your card's security code is incorrect."),
  ],
  [
    'chargeDeclinedProcessingError',
    '4000000000000119',
    'visa credit',
    declined(
      'processing_error',
      'processing_error',
      'An error occurred while processing your card.',
    ),
  ],
  [
    'chargeCustomerFail',
    '4000000000000341',
    'visa credit',
    declined('card_declined', 'generic_decline'),
  ],
  ['radarBlock', '4100000000000019', 'visa credit', BLOCKED],
  [
    'authenticationRequired',
    '4000002500003155',
    'visa credit',
    declined(
      'authentication_required',
      'authentication_required',
      'Your card needs authentication.',
    ),
  ],
  ['createDispute', '4000000000000259', 'visa credit', APPROVED],
  ['createDisputeProductNotReceived', '4000000000002685', 'visa credit', APPROVED],
  ['createDisputeInquiry', '4000000000001976', 'visa credit', APPROVED],
  ['alert_then_chargeback', '', 'visa credit', APPROVED],
  ['bypassPending', '4000000000000077', 'visa credit', APPROVED],
  ['pendingRefund', '4000000000007726', 'visa credit', APPROVED],
  ['refundFail', '4000000000005126', 'visa credit', APPROVED],
  ['refundRejected', '', 'visa credit', APPROVED],
  ['timeout_approved', '', 'visa credit', UNKNOWN],
  ['timeout_declined', '', 'visa credit', UNKNOWN],
  ['unknown_forever', '', 'visa credit', UNKNOWN],
  ['not_sent', '', 'visa credit', NOT_SENT],
  ['amount_tampered', '', 'visa credit', UNKNOWN],
  ['recovers_on_attempt_3', '', 'visa credit', NO_FUNDS],
  ['declined_from_charge_2', '', 'visa credit', APPROVED],
  ['expired_from_charge_2', '', 'visa credit', APPROVED],
  ['lost_from_charge_2', '', 'visa credit', APPROVED],
  ['recovers_on_charge_3', '', 'visa credit', APPROVED],
  ['authentication_required_off_session', '', 'visa credit', APPROVED],
];

/** What is known later of those that are approved or unknown at first. */
const LATER: Readonly<Record<string, readonly [status: string, ...events: string[]]>> = {
  createDispute: ['succeeded', 'charge.succeeded', 'dispute.created'],
  createDisputeProductNotReceived: ['succeeded', 'charge.succeeded', 'dispute.created'],
  createDisputeInquiry: ['succeeded', 'charge.succeeded', 'dispute.alert'],
  alert_then_chargeback: ['succeeded', 'charge.succeeded', 'dispute.alert', 'dispute.created'],
  timeout_approved: ['succeeded', 'charge.succeeded'],
  timeout_declined: ['failed', 'charge.failed'],
  unknown_forever: ['pending'],
  amount_tampered: ['pending'],
};

/** Status of a refund at once and later, by the name of the card, and the event at the end. */
const REFUNDS: Readonly<Record<string, readonly [string, string, ...string[]]>> = {
  visa: ['succeeded', 'succeeded', 'charge.refunded'],
  bypassPending: ['succeeded', 'succeeded', 'charge.refunded'],
  pendingRefund: ['pending', 'succeeded', 'charge.refunded'],
  refundFail: ['succeeded', 'failed', 'charge.refunded'],
  refundRejected: ['pending', 'failed'],
};

describe('The cards of the sandbox', function () {
  this.timeout(60_000);
  let shop: DebitShop;

  before(async () => {
    shop = await startDebitShop({ sandbox: { silenceMs: 20 } });
  });
  after(() => shop.close());
  afterEach(async () => {
    const found = await shop.paymount.verify();
    // `amount_tampered` leaves one each time, and `unknown_forever` after all look-ups.
    const others = found.filter(({ rule }) => rule !== 'No operation is quarantined.');
    expect(others).to.deep.equal([]);
  });

  const charge = (method: object) =>
    shop.post('/v1/charges', { amount: 4_200, currency: 'eur', ...method });

  it('are those of its own table', () => {
    expect(CARDS.map(([name, number]) => [name, number])).to.deep.equal(SANDBOX_NUMBERS.cards);
  });

  for (const [name, number, kind, answer] of CARDS) {
    it(`are charged, by token, by payment method and by number: ${name}`, async () => {
      await expectAnswer({ source: `tok_${name}` }, kind, answer);
      await expectAnswer({ payment_method: `pm_card_${name}` }, kind, answer);
      if (number === '') return;
      const card = { number, exp_month: 12, exp_year: 2044 };
      const cvc = kind.startsWith('amex') ? '1234' : '123';
      const token = await shop.post('/v1/tokens', { card: { ...card, cvc } });
      await expectAnswer({ source: token.json['id'] }, kind, answer);
      const method = await shop.post('/v1/payment_methods', { type: 'card', card });
      await expectAnswer({ payment_method: method.json['id'] }, kind, answer);
    });
  }

  async function expectAnswer(method: object, kind: string, answer: Answer): Promise<void> {
    const { status, json, error, text } = await charge(method);
    const { type, code, decline_code: decline, message } = error;
    expect(status, text).to.equal(answer.status);
    if (answer.error) expect([type, code, decline, message]).to.deep.equal(answer.error);
    else expect(error).to.deep.equal({});
    const { json: made } = await shop.get(`/v1/charges/${String(json['id'] ?? error['charge'])}`);
    const outcome = made['outcome'] as Record<string, unknown> | null;
    const { brand, funding } = (made['payment_method_details'] as { card: Record<string, string> })
      .card;
    expect(`${brand} ${funding}`).to.equal(kind);
    const decided = ['type', 'network_status', 'reason', 'risk_level'].map(
      (each) => outcome?.[each],
    );
    expect([made['status'], ...(outcome === null ? [null] : decided)]).to.deep.equal(answer.charge);
    const isPaid = answer.charge[0] === 'succeeded';
    expect(made).to.include({ paid: isPaid, captured: isPaid, failure_code: code ?? null });
    expect(made['failure_message']).to.equal(message ?? null);
    expect(await shop.eventsOf(made['id'])).to.deep.equal(answer.events);
  }

  it('end as their names say', async () => {
    const made = new Map<string, string>();
    for (const name of Object.keys(LATER)) {
      const { json } = await charge({ source: `tok_${name}` });
      made.set(name, String(json['id']));
    }
    for (let steps = 0; steps < 3; steps += 1) await shop.pass(MINUTE);
    for (const [name, id] of made) {
      const { json } = await shop.get(`/v1/charges/${id}`);
      const { data } = (await shop.get(`/v1/disputes?charge=${id}`)).json;
      const disputes = data as { id: string }[];
      const events = [id, ...disputes.map((each) => each.id)].map((each) => shop.eventsOf(each));
      const told = (await Promise.all(events)).flat();
      expect([json['status'], ...told], name).to.deep.equal(LATER[name]);
    }
  });

  it('give their funds at once, if they bypass pending', async () => {
    for (const [name, status] of [
      ['bypassPending', 'available'],
      ['visa', 'pending'],
    ]) {
      const { json } = await charge({ source: `tok_${name}` });
      await shop.pass(0);
      const line = await shop.get(
        `/v1/balance_transactions/${String(json['balance_transaction'])}`,
      );
      expect(line.json['status'], name).to.equal(status);
    }
  });

  for (const [name, [first, last, ...events]] of Object.entries(REFUNDS)) {
    it(`are refunded: ${name}`, async () => {
      const { id } = (await charge({ source: `tok_${name}` })).json;
      const { json, status, text } = await shop.post('/v1/refunds', { charge: id });
      expect([status, json['status']], text).to.deep.equal([200, first]);
      await shop.pass(MINUTE);
      const { json: ended } = await shop.get(`/v1/refunds/${String(json['id'])}`);
      expect(ended['status']).to.equal(last);
      expect(await shop.eventsOf(id)).to.deep.equal(['charge.succeeded', ...events]);
    });
  }

  it('are the only ones', async () => {
    for (const [number, status, code] of [
      ['4111111111111111', 400, 'live_card_in_sandbox'],
      ['4242424242424241', 402, 'incorrect_number'],
      ['4000000000000003', 402, 'incorrect_number'],
    ] as const) {
      const card = { number, exp_month: 12, exp_year: 2044 };
      for (const [path, body] of [
        ['/v1/tokens', { card }],
        ['/v1/payment_methods', { type: 'card', card }],
      ] as const) {
        const { status: found, error } = await shop.post(path, body);
        expect([found, error['code'], error['param']]).to.deep.equal([
          status,
          code,
          'card[number]',
        ]);
      }
    }
    for (const [name, method] of [
      ['source', 'tok_nothing'],
      ['payment_method', 'pm_card_nothing'],
    ] as const) {
      const { status, error } = await charge({ [name]: method });
      expect([status, error['code'], error['param']]).to.deep.equal([
        400,
        'resource_missing',
        name,
      ]);
    }
  });
});
