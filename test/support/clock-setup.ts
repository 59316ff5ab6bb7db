import { expect } from 'chai';
import type { TestApp } from './app.ts';
import { ask, postJson, type Reply } from './ask.ts';

type Json = Readonly<Record<string, unknown>>;

/** A merchant with test clocks, over HTTP. */
export class ClockSetup {
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  get(path: string): Promise<Reply> {
    return ask(`${this.#app.url}${path}`, { key: this.#app.secretKey });
  }

  post(path: string, body: object = {}): Promise<Reply> {
    return postJson(`${this.#app.url}${path}`, body, { key: this.#app.secretKey });
  }

  delete(path: string): Promise<Reply> {
    return ask(`${this.#app.url}${path}`, { method: 'DELETE', key: this.#app.secretKey });
  }

  /** @throws unless it was answered with 200 */
  async read(path: string): Promise<Json> {
    return accepted(await this.get(path));
  }

  /** @throws unless it was answered with 200 */
  async make(path: string, body: object = {}): Promise<Json> {
    return accepted(await this.post(path, body));
  }

  async clock(frozenTime: string): Promise<string> {
    const made = await this.make('/v1/test_helpers/test_clocks', { frozen_time: frozenTime });
    return String(made['id']);
  }

  /** A customer on a clock with a default card, such as `pm_card_visa`. */
  async customer(clock: string, card = 'pm_card_visa'): Promise<string> {
    const made = await this.make('/v1/customers', {
      test_clock: clock,
      payment_method: card,
      invoice_settings: { default_payment_method: card },
    });
    return String(made['id']);
  }

  async charge(customer: string, more: object = {}): Promise<string> {
    const sale = { amount: 4_200, currency: 'eur', customer, ...more };
    return String((await this.make('/v1/charges', sale))['id']);
  }

  /** Advances a clock, and lets the worker do its work. */
  async advance(clock: string, frozenTime: string): Promise<void> {
    await this.make(`/v1/test_helpers/test_clocks/${clock}/advance`, { frozen_time: frozenTime });
    await this.#app.worker.drain();
    const after = await this.read(`/v1/test_helpers/test_clocks/${clock}`);
    expect([after['status'], after['frozen_time']]).to.deep.equal(['ready', frozenTime]);
  }

  /** `type created` of the events about an object, oldest first. */
  async eventsOf(object: string): Promise<readonly string[]> {
    const { data } = await this.read(`/v1/events?object_id=${object}&limit=100`);
    return (data as { type: string; created: string }[])
      .map(({ type, created }) => `${type} ${created}`)
      .reverse();
  }

  /** `available` and `pending` in a currency. */
  async balance(currency = 'eur'): Promise<readonly [available: number, pending: number]> {
    const balance = await this.read('/v1/balance');
    const of = (name: string): number =>
      (balance[name] as { amount: number; currency: string }[]).find(
        (each) => each.currency === currency,
      )?.amount ?? 0;
    return [of('available'), of('pending')];
  }
}

function accepted({ status, text, json }: Reply): Json {
  expect(status, text).to.equal(200);
  return json;
}
