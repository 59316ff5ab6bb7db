import type { TestApp } from './app.ts';
import { postJson, type Reply } from './ask.ts';
import type { FakeClock } from './clock.ts';

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

/** The published test bank account that payouts reach. */
export const BANK = {
  object: 'bank_account',
  country: 'US',
  currency: 'eur',
  routing_number: '110000000',
  account_number: '000123456789',
} as const;

/** A merchant who can be paid out, and the time that payouts take. */
export class PaidOut {
  readonly #app: TestApp;
  readonly #clock: FakeClock;

  constructor(app: TestApp, clock: FakeClock) {
    this.#app = app;
    this.#clock = clock;
  }

  /** Charges a card, and waits until the funds are available. */
  async earn(amount: number, currency = 'eur'): Promise<void> {
    const sale = { amount, currency, payment_method: 'pm_card_visa' };
    await this.#app.paymount.charges.create(this.#app.acting, sale);
    await this.pass(3 * DAY_MS);
  }

  /** Adds a bank account. @param number one of the published numbers */
  async addBank(number: string = BANK.account_number, more: object = {}): Promise<string> {
    const external_account = { ...BANK, account_number: number };
    const added = await this.post(`/v1/accounts/${this.#app.account}/external_accounts`, {
      external_account,
      default_for_currency: true,
      ...more,
    });
    if (added.status !== 200) throw new Error(added.text);
    return String(added.json['id']);
  }

  /** Lets the worker send payouts, and the bank take them. */
  async settle(): Promise<void> {
    await this.pass(11 * SECOND_MS);
    await this.pass(3 * SECOND_MS);
  }

  async pass(ms: number): Promise<void> {
    this.#clock.advance(ms);
    await this.#app.worker.drain();
  }

  post(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Reply> {
    return postJson(`${this.#app.url}${path}`, body, { key: this.#app.secretKey, headers });
  }
}
