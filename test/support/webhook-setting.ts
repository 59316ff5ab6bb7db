import { verify } from 'paymount/receiver';
import type { TestApp } from './app.ts';
import { ask, postJson, type Reply } from './ask.ts';
import type { ReceivedRequest } from './receiver.ts';

/** A registered endpoint, as a test knows it. */
export interface Hook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

/** What tests do about endpoints and events with the key of one account. */
export interface WebhookSetting {
  /** @param events @defaultValue everything */
  register(url: string, events?: readonly string[]): Promise<Hook>;
  set(hook: Hook, change: object): Promise<void>;
  remove(hook: Hook): Promise<void>;
  /** Makes a charge. @returns the id of its event */
  publish(): Promise<string>;
}

/** @param mount of the API @param key of its account */
export function webhookSetting(app: Pick<TestApp, 'url' | 'secretKey'>): WebhookSetting {
  const { url: base, secretKey: key } = app;
  const post = async (path: string, body: object): Promise<Reply['json']> => {
    const reply = await postJson(`${base}/v1${path}`, body, { key });
    if (reply.status !== 200) throw new Error(`POST ${path}: ${reply.text}`);
    return reply.json;
  };
  return {
    async register(url, events = ['*']) {
      const made = await post('/webhook_endpoints', { url, enabled_events: events });
      return { id: String(made['id']), url, secret: String(made['secret']) };
    },
    async set({ id }, change) {
      await post(`/webhook_endpoints/${id}`, change);
    },
    async remove({ id }) {
      const reply = await ask(`${base}/v1/webhook_endpoints/${id}`, { method: 'DELETE', key });
      if (reply.status !== 200) throw new Error(`DELETE ${id}: ${reply.text}`);
    },
    async publish() {
      const sale = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
      const charge = await post('/charges', sale);
      const query = `object_id=${String(charge['id'])}`;
      const { json } = await ask(`${base}/v1/events?${query}`, { key });
      const [event] = json['data'] as { readonly id: string }[];
      if (event === undefined) throw new Error('The charge has no event.');
      return event.id;
    },
  };
}

/** The event of a request, once its signature is verified. */
export function eventIn(request: ReceivedRequest | undefined, secret: string, now?: Date): object {
  if (request === undefined) throw new Error('No request arrived.');
  const { headers, body } = request;
  return verify({ headers, body, secret, ...(now && { now }) });
}
