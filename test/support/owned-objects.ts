import { ask, postForm, type Reply } from '../support/ask.ts';

/** Objects of one account in one environment, by what they are. */
export interface Belongings {
  readonly charge: string;
  /** A charge that can be captured, and one that can be released. */
  readonly authorized: string;
  readonly releasable: string;
  readonly refund: string;
  readonly method: string;
  /** Live has none: no card number is ever sent there. */
  readonly token?: string;
  readonly endpoint: string;
  readonly deletable: string;
  readonly event: string;
  readonly line: string;
  /** A key that nobody uses. */
  readonly spareKey: string;
}

/** The prefixes of their ids. */
export const ID_PREFIXES: Readonly<Record<keyof Belongings, string>> = {
  charge: 'ch',
  authorized: 'ch',
  releasable: 'ch',
  refund: 're',
  method: 'pm',
  token: 'tok',
  endpoint: 'we',
  deletable: 'we',
  event: 'evt',
  line: 'txn',
  spareKey: 'key',
};

/** Whose objects they are. */
export interface Owning {
  /** Of the mount. */
  readonly url: string;
  /** A secret key. */
  readonly key: string;
  readonly spareKey: string;
  /** @defaultValue test */
  readonly environment?: 'live' | 'test';
}

/** Makes one object of every kind. */
export async function makeBelongings({
  url,
  key,
  spareKey,
  environment = 'test',
}: Owning): Promise<Belongings> {
  const post = async (path: string, form: string): Promise<Reply['json']> => {
    const reply = await postForm(url + path, form, { key });
    if (reply.status !== 200) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  };
  const createObject = async (path: string, form: string): Promise<string> =>
    String((await post(path, form))['id']);
  const newMethod = () => createObject('/v1/payment_methods', 'type=card&card[token]=tok_visa');
  const sale = async (): Promise<string> =>
    `amount=100&currency=eur&payment_method=${await newMethod()}`;
  const charge = await post('/v1/charges', await sale());
  const events = await ask(`${url}/v1/events?limit=1`, { key });
  const [event] = events.json['data'] as { id: string }[];
  const endpoint = 'url=https%3A%2F%2F127.0.0.1%3A8443%2F&enabled_events[]=payout.paid';
  const card = 'card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2044';
  return {
    charge: String(charge['id']),
    line: String(charge['balance_transaction']),
    event: String(event?.id),
    authorized: await createObject('/v1/charges', `${await sale()}&capture=false`),
    releasable: await createObject('/v1/charges', `${await sale()}&capture=false`),
    refund: await createObject('/v1/refunds', `charge=${String(charge['id'])}&amount=1`),
    method: await newMethod(),
    ...(environment === 'test' ? { token: await createObject('/v1/tokens', card) } : {}),
    endpoint: await createObject('/v1/webhook_endpoints', endpoint),
    deletable: await createObject('/v1/webhook_endpoints', endpoint),
    spareKey,
  };
}
