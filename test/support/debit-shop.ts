import type { PaymountOptions } from 'paymount';
import { startApp, type TestApp } from './app.ts';
import { ask, JSON_TYPE, postJson, type Reply } from './ask.ts';
import { type FakeClock, fakeClock } from './clock.ts';

/** The published test bank account whose debits clear. */
export const BANK_NUMBERS = {
  account_number: '000123456789',
  routing_number: '110000000',
  account_type: 'checking',
  account_holder_type: 'individual',
} as const;

export const MANDATE = { customer_acceptance: { type: 'online' } } as const;

/** A merchant who debits bank accounts. */
export interface DebitShop extends TestApp {
  readonly clock: FakeClock;
  post(path: string, body?: object, headers?: Record<string, string>, key?: string): Promise<Reply>;
  get(path: string): Promise<Reply>;
  /** Creates a payment method of a bank account, with a mandate. @returns its id */
  bank(number?: string): Promise<string>;
  /** Debits 50 USD. */
  debit(paymentMethod: string, more?: object): Promise<Reply>;
  /** Moves the clock on, and lets the worker do what is due then. */
  pass(ms: number): Promise<void>;
  /** The types of the events of an object, oldest first. */
  eventsOf(id: unknown): Promise<string[]>;
}

/** Starts a host with the sandbox; `close()` it in `after`. */
export async function startDebitShop(options: Partial<PaymountOptions> = {}): Promise<DebitShop> {
  const clock = fakeClock();
  const app = await startApp({ paymount: { clock, ...options } });
  const shop: DebitShop = {
    ...app,
    clock,
    post: (path, body = {}, headers = {}, key = app.secretKey) =>
      postJson(`${app.url}${path}`, body, { key, headers }),
    get: (path) => ask(`${app.url}${path}`, { key: app.secretKey, headers: JSON_TYPE }),
    async bank(number = BANK_NUMBERS.account_number) {
      const made = await shop.post('/v1/payment_methods', {
        type: 'us_bank_account',
        us_bank_account: { ...BANK_NUMBERS, account_number: number },
        mandate_data: MANDATE,
      });
      if (made.status !== 200) throw new Error(made.text);
      return String(made.json['id']);
    },
    debit: (paymentMethod, more = {}) =>
      shop.post('/v1/charges', {
        amount: 5_000,
        currency: 'usd',
        payment_method: paymentMethod,
        ...more,
      }),
    async pass(ms) {
      clock.advance(ms);
      await app.worker.drain();
    },
    async eventsOf(id) {
      const { json } = await shop.get('/v1/events?limit=100');
      const events = json['data'] as { type: string; data: { object: { id: string } } }[];
      return events
        .filter(({ data }) => data.object.id === id)
        .map(({ type }) => type)
        .toReversed();
    },
  };
  return shop;
}
