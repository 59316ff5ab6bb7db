import { expect } from 'chai';
import { BANK_NUMBERS, type DebitShop, MANDATE, startDebitShop } from '../support/debit-shop.ts';
import { PaidOut } from '../support/paid-out.ts';
import { SANDBOX_NUMBERS } from '../support/sandbox-numbers.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The answer to a debit or payout; how it ends, with its failure code; all of its events. */
type End = readonly [answer: string, end: string, failure: string | null, ...events: string[]];

const CLEARS: End = ['200', 'succeeded', null, 'charge.pending', 'charge.succeeded'];
const PAID: End = ['200', 'paid', null, 'payout.paid'];
/** Nobody knows yet, and nobody will. */
const UNKNOWN: End = ['200', 'pending', null];

function returned(code: string): End {
  return ['200', 'failed', code, 'charge.pending', 'charge.failed'];
}

function fails(code: string): End {
  return ['200', 'failed', code, 'payout.failed'];
}

const TABLE: readonly (readonly [name: string, number: string, debit: End, payout: End])[] = [
  ['success', '000123456789', CLEARS, PAID],
  ['accountClosed', '000111111113', returned('account_closed'), fails('account_closed')],
  ['noAccount', '000111111116', returned('no_account'), fails('no_account')],
  [
    'insufficientFunds',
    '000222222227',
    returned('insufficient_funds'),
    fails('insufficient_funds'),
  ],
  [
    'debitNotAuthorized',
    '000333333335',
    returned('debit_not_authorized'),
    fails('debit_not_authorized'),
  ],
  [
    'invalidCurrency',
    '000444444440',
    ['400 invalid_currency', 'failed', 'invalid_currency', 'charge.failed'],
    fails('invalid_currency'),
  ],
  ['dispute', '000555555559', [...CLEARS, 'dispute.created', 'dispute.lost'], PAID],
  ['returned_from_charge_2', '000222222235', CLEARS, PAID],
  [
    'processing',
    '000000000009',
    ['200', 'pending', null, 'charge.pending'],
    ['200', 'in_transit', null],
  ],
  [
    'returned',
    '000999999991',
    CLEARS,
    ['200', 'failed', 'account_closed', 'payout.paid', 'payout.failed'],
  ],
  ['timeout_approved', '000777777701', CLEARS, PAID],
  [
    'timeout_declined',
    '000777777702',
    ['200', 'failed', 'bank_account_declined', 'charge.failed'],
    fails('bank_account_declined'),
  ],
  ['unknown_forever', '000777777703', UNKNOWN, UNKNOWN],
  [
    'not_sent',
    '000777777704',
    ['502 processor_error', 'failed', 'processor_error', 'charge.failed'],
    fails('processing_error'),
  ],
  ['amount_tampered', '000777777705', UNKNOWN, UNKNOWN],
];

describe('The bank accounts of the sandbox', function () {
  this.timeout(60_000);
  let shop: DebitShop;
  let paidOut: PaidOut;

  before(async () => {
    shop = await startDebitShop({ sandbox: { silenceMs: 20 } });
    paidOut = new PaidOut(shop, shop.clock);
    await paidOut.earn(1_000_000);
  });
  after(() => shop.close());
  afterEach(async () => {
    const found = await shop.paymount.verify();
    // Those about which nobody ever knows wait for a person.
    const others = found.filter(({ rule }) => rule !== 'No operation is quarantined.');
    expect(others).to.deep.equal([]);
  });

  it('are those of its own table', () => {
    expect(TABLE.map(([name, number]) => [name, number])).to.deep.equal(
      SANDBOX_NUMBERS.bankAccounts,
    );
  });

  for (const [name, number, debit, payout] of TABLE) {
    it(`are debited, by name, by token and by number: ${name}`, async () => {
      const byToken = await shop.post('/v1/payment_methods', {
        type: 'us_bank_account',
        us_bank_account: { token: `btok_us_${name}` },
        mandate_data: MANDATE,
      });
      const token = await shop.post('/v1/tokens', {
        bank_account: { ...BANK_NUMBERS, account_number: number },
      });
      const byNewToken = await shop.post('/v1/payment_methods', {
        type: 'us_bank_account',
        us_bank_account: { token: token.json['id'] },
        mandate_data: MANDATE,
      });
      const made = [];
      for (const method of [
        `pm_usBankAccount_${name}`,
        String(byToken.json['id']),
        String(byNewToken.json['id']),
        await shop.bank(number),
      ]) {
        made.push(await shop.debit(method));
      }
      for (let steps = 0; steps < 2; steps += 1) await shop.pass(MINUTE);
      for (const { status, json, error, text } of made) {
        const id = json['id'] ?? error['charge'];
        const { json: ended } = await shop.get(`/v1/charges/${String(id)}`);
        const { data } = (await shop.get(`/v1/disputes?charge=${String(id)}`)).json;
        const events = await shop.eventsOf(id);
        for (const { id: dispute } of data as { id: string }[]) {
          events.push(...(await shop.eventsOf(dispute)));
        }
        const answer = [status, error['code']].filter((each) => each !== undefined).join(' ');
        expect([answer, ended['status'], ended['failure_code'], ...events], text).to.deep.equal(
          debit,
        );
      }
    });

    it(`are paid out to, by token and by number: ${name}`, async () => {
      const path = `/v1/accounts/${shop.account}/external_accounts`;
      const byToken = await shop.post(path, { external_account: `btok_us_${name}` });
      for (const destination of [String(byToken.json['id']), await paidOut.addBank(number)]) {
        const sent = { amount: 1_000, currency: 'eur', destination };
        const { status, json, text } = await shop.post('/v1/payouts', sent);
        await paidOut.settle();
        for (let steps = 0; steps < 2; steps += 1) await shop.pass(MINUTE);
        const { json: ended } = await shop.get(`/v1/payouts/${String(json['id'])}`);
        const events = await shop.eventsOf(json['id']);
        expect(
          [`${status}`, ended['status'], ended['failure_code'], ...events],
          text,
        ).to.deep.equal(payout);
      }
    });
  }

  it('are the only ones', async () => {
    const us_bank_account = { ...BANK_NUMBERS, account_number: '000123456780' };
    const method = { type: 'us_bank_account', us_bank_account, mandate_data: MANDATE };
    const refused = await shop.post('/v1/payment_methods', method);
    expect([refused.status, refused.error['code']]).to.deep.equal([400, 'test_number_required']);
    const named = await shop.debit('pm_usBankAccount_nothing');
    expect([named.status, named.error['code'], named.error['param']]).to.deep.equal([
      400,
      'resource_missing',
      'payment_method',
    ]);
  });
});
