import { ClockSetup } from './clock-setup.ts';

type Json = Readonly<Record<string, unknown>>;

/** A merchant with test clocks who sells subscriptions, over HTTP. */
export class SubscriptionSetup extends ClockSetup {
  /** Attaches a test card, such as `pm_card_visa`, to a customer. */
  async attach(customer: string, card: string): Promise<string> {
    return String((await this.make(`/v1/payment_methods/${card}/attach`, { customer }))['id']);
  }

  /** Makes an attached payment method the one that invoices are charged to. */
  async useMethod(customer: string, method: string): Promise<void> {
    const settings = { invoice_settings: { default_payment_method: method } };
    await this.make(`/v1/customers/${customer}`, settings);
  }

  /** A monthly price in euros, unless `more` says otherwise. */
  async newPrice(amount: number, more: object = {}): Promise<string> {
    const made = await this.make('/v1/prices', {
      product_data: { name: 'Basic' },
      currency: 'eur',
      unit_amount: amount,
      recurring: { interval: 'month' },
      ...more,
    });
    return String(made['id']);
  }

  subscription(id: unknown): Promise<Json> {
    return this.read(`/v1/subscriptions/${String(id)}`);
  }

  /** The invoices of a subscription, oldest first. */
  async invoicesOf(id: unknown): Promise<readonly Json[]> {
    const listed = await this.read(`/v1/invoices?subscription=${String(id)}&limit=100`);
    return (listed['data'] as Json[]).toReversed();
  }

  /** Status, code and parameter of a refusal. */
  async refusal(path: string, body: object): Promise<readonly unknown[]> {
    const { status, json } = await this.post(path, body);
    const { code, param } = json['error'] as { code: string; param?: string };
    return [status, code, param];
  }
}
