import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { postJson, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { BANK_NUMBERS, MANDATE } from '../support/debit-shop.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { BANK } from '../support/paid-out.ts';
import { tableContents } from '../support/table-contents.ts';
import { WatchedBank } from '../support/watched-bank.ts';

type Capabilities = WatchedBank['capabilities'];

/** What was made while the processor could do everything. */
interface Made {
  readonly charge: string;
  readonly authorized: string;
  readonly debited: string;
  readonly account: string;
}

interface Case {
  readonly without: Partial<Capabilities>;
  readonly what: string;
  readonly path: (made: Made) => string;
  readonly body?: (made: Made) => object;
  readonly message: string;
  readonly param?: string;
}

const SALE = { amount: 4_200, currency: 'eur', source: 'tok_visa' };
const DEBIT = { amount: 4_200, currency: 'usd' };

const AT_ONCE =
  'The processor watched lacks the capability `manualCapture`: charges are captured at once; leave `capture` out.';
const NO_CAPTURE =
  'The processor watched lacks the capability `manualCapture`: capture the charge at the processor.';
const WHOLE =
  'The processor watched lacks the capability `partialCapture`: capture the whole amount; leave `amount` out.';
const NO_VOIDS =
  'The processor watched lacks the capability `voids`: let the authorization expire, or capture the charge and refund it.';
const NO_REFUNDS =
  'The processor watched lacks the capability `refunds`: refund the charge at the processor.';
const NO_PAYOUTS =
  'The processor watched lacks the capability `payouts`: pay out at the processor.';
const NO_BANK_ACCOUNTS =
  'The processor watched lacks the capability `payouts`: no bank account is needed.';
const NO_DEBITS =
  'The processor watched lacks the capability `methods: us_bank_account`: pay by card.';

const CASES: readonly Case[] = [
  {
    without: { manualCapture: false },
    what: 'a charge that is captured later',
    path: () => '/v1/charges',
    body: () => ({ ...SALE, capture: false }),
    message: AT_ONCE,
    param: 'capture',
  },
  {
    without: { manualCapture: false },
    what: 'a capture',
    path: ({ authorized }) => `/v1/charges/${authorized}/capture`,
    message: NO_CAPTURE,
  },
  {
    without: { partialCapture: false },
    what: 'a capture in part',
    path: ({ authorized }) => `/v1/charges/${authorized}/capture`,
    body: () => ({ amount: 1 }),
    message: WHOLE,
    param: 'amount',
  },
  {
    without: { voids: false },
    what: 'the release of an authorization',
    path: ({ authorized }) => `/v1/charges/${authorized}/cancel`,
    message: NO_VOIDS,
  },
  {
    without: { voids: false },
    what: 'a refund of an authorization',
    path: () => '/v1/refunds',
    body: ({ authorized }) => ({ charge: authorized }),
    message: NO_VOIDS,
  },
  {
    without: { refunds: false },
    what: 'a refund',
    path: () => '/v1/refunds',
    body: ({ charge }) => ({ charge }),
    message: NO_REFUNDS,
  },
  ...['refunds', 'refund'].map((name) => ({
    without: { refunds: false },
    what: `a refund below its charge, by /${name}`,
    path: ({ charge }: Made) => `/v1/charges/${charge}/${name}`,
    body: () => ({ amount: 1 }),
    message: NO_REFUNDS,
  })),
  {
    without: { payouts: false },
    what: 'a payout',
    path: () => '/v1/payouts',
    body: () => ({ amount: 1, currency: 'eur' }),
    message: NO_PAYOUTS,
  },
  {
    without: { payouts: false },
    what: 'a bank account for payouts',
    path: ({ account }) => `/v1/accounts/${account}/external_accounts`,
    body: () => ({ external_account: BANK }),
    message: NO_BANK_ACCOUNTS,
  },
  {
    without: { methods: ['card'] },
    what: 'a bank account to be debited',
    path: () => '/v1/payment_methods',
    body: () => ({
      type: 'us_bank_account',
      us_bank_account: BANK_NUMBERS,
      mandate_data: MANDATE,
    }),
    message: NO_DEBITS,
    param: 'us_bank_account[account_number]',
  },
  {
    without: { methods: ['card'] },
    what: 'a token of a bank account to be debited',
    path: () => '/v1/payment_methods',
    body: () => ({ type: 'us_bank_account', us_bank_account: { token: 'btok_us' } }),
    message: NO_DEBITS,
    param: 'us_bank_account[token]',
  },
  {
    without: { methods: ['card'] },
    what: 'a debit of a bank account by name',
    path: () => '/v1/charges',
    body: () => ({ ...DEBIT, payment_method: 'pm_usBankAccount_success' }),
    message: NO_DEBITS,
    param: 'payment_method',
  },
  {
    without: { methods: ['card'] },
    what: 'a debit of a bank account that is stored',
    path: () => '/v1/charges',
    body: ({ debited }) => ({ ...DEBIT, payment_method: debited }),
    message: NO_DEBITS,
    param: 'payment_method',
  },
];

describe('What a processor cannot do', function () {
  this.timeout(60_000);
  const clock: FakeClock = fakeClock();
  let app: TestApp;
  let made: Made;
  let bank: WatchedBank;
  let lacking: TestHost;

  before(async () => {
    app = await startApp({ paymount: { clock, processors: { test: new WatchedBank(clock) } } });
    const create = async (path: string, body: object): Promise<string> => {
      const { status, json, text } = await postJson(app.url + path, body, { key: app.secretKey });
      expect(status, text).to.equal(200);
      return String(json['id']);
    };
    made = {
      charge: await create('/v1/charges', SALE),
      authorized: await create('/v1/charges', { ...SALE, capture: false }),
      debited: await create('/v1/payment_methods', {
        type: 'us_bank_account',
        us_bank_account: BANK_NUMBERS,
        mandate_data: MANDATE,
      }),
      account: app.account,
    };
    await create(`/v1/accounts/${app.account}/external_accounts`, { external_account: BANK });
    await app.worker.drain();
  });
  after(() => app.close());
  afterEach(() => lacking.close());

  const post = (path: string, body: object): Promise<Reply> =>
    postJson(lacking.url + path, body, { key: app.secretKey });

  for (const { without, what, path, body, message, param } of CASES) {
    it(`is refused before anything is written or sent: ${what}`, async () => {
      bank = new WatchedBank(clock, 'watched', without);
      lacking = await startHost(app, { paymount: { clock, processors: { test: bank } } });
      const before = await tableContents(app.databaseUrl);
      const { status, error, text } = await post(path(made), body?.(made) ?? {});
      expect(status, text).to.equal(400);
      expect([error['type'], error['code'], error['param'], error['message']]).to.deep.equal([
        'invalid_request_error',
        'operation_not_supported',
        param,
        message,
      ]);
      expect(bank.calls).to.deep.equal([]);
      expect(bank.tokenized).to.equal(0);
      expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
    });
  }

  it('does not matter to what needs it not', async () => {
    const without = { manualCapture: false, partialCapture: false, voids: false, payouts: false };
    bank = new WatchedBank(clock, 'watched', without);
    lacking = await startHost(app, { paymount: { clock, processors: { test: bank } } });
    const sale = await post('/v1/charges', SALE);
    expect([sale.status, sale.json['status']], sale.text).to.deep.equal([200, 'succeeded']);
    const refund = await post('/v1/refunds', { charge: sale.json['id'] });
    expect([refund.status, refund.json['status']], refund.text).to.deep.equal([200, 'succeeded']);
  });
});
