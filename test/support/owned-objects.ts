import { ask, postForm, type Reply } from '../support/ask.ts';
import { uploadFile } from '../support/upload-file.ts';
import type { TestApp } from './app.ts';
import { query } from './database.ts';
import { eventually } from './eventually.ts';

/** Objects of one account in one environment, by what they are. */
export interface Belongings {
  readonly account: string;
  readonly charge: string;
  /** A charge that can be captured, and one that can be released. */
  readonly authorized: string;
  readonly releasable: string;
  readonly refund: string;
  readonly customer: string;
  /** A customer that nothing else needs. */
  readonly leaving: string;
  /** What moved the balance of the customer. */
  readonly balanceMove: string;
  readonly method: string;
  /** Payment methods: attached to the customer, free to be attached, and one to detach. */
  readonly saved: string;
  readonly attachable: string;
  readonly detachable: string;
  readonly bankAccount: string;
  /** A bank account that nothing else needs. */
  readonly leavingBankAccount: string;
  /** It is canceled; there are funds for more. */
  readonly payout: string;
  /** Live has none: no card number is ever sent there. */
  readonly token?: string;
  readonly endpoint: string;
  readonly deletable: string;
  readonly event: string;
  /** It waits for an attempt. */
  readonly delivery: string;
  /** It waits for an endpoint that is disabled. */
  readonly replay: string;
  readonly file: string;
  /** A chargeback, and one that can be accepted. The bank of live reports none. */
  readonly dispute?: string;
  readonly acceptable?: string;
  /** Test clocks; one that nothing else needs. Live has none. */
  readonly testClock?: string;
  readonly leavingClock?: string;
  readonly product: string;
  /** A product that nothing else needs. */
  readonly leavingProduct: string;
  readonly price: string;
  /** A price of no subscription. */
  readonly unsoldPrice: string;
  /** An invoice item that waits, and one that nothing else needs. */
  readonly invoiceItem: string;
  readonly leavingInvoiceItem: string;
  /** A draft with a line, and drafts to delete and to finalize. */
  readonly invoice: string;
  readonly invoiceLine: string;
  readonly leavingInvoice: string;
  readonly finalizable: string;
  /** A draft that its customer is to pay by hand. */
  readonly sendable: string;
  /** Open: one to void, one to pay, and one that nobody may ever pay. */
  readonly issued: string;
  readonly payable: string;
  readonly doubtful: string;
  /** A customer whose subscriptions are paid. */
  readonly subscriber: string;
  /** Active subscriptions: one to change, one to cancel. */
  readonly subscription: string;
  readonly leavingSubscription: string;
  /** The first has two items, one of which may go. */
  readonly subscriptionItem: string;
  readonly leavingSubscriptionItem: string;
  readonly line: string;
  /** A key that nobody uses. */
  readonly spareKey: string;
  /** A platform that the account connected, and one that is disconnected. */
  readonly application: string;
  readonly disconnected: string;
}

const MAX_TRIES = 10;

/** The prefixes of their ids. */
export const ID_PREFIXES: Readonly<Record<keyof Belongings, string>> = {
  account: 'acct',
  charge: 'ch',
  authorized: 'ch',
  releasable: 'ch',
  refund: 're',
  customer: 'cus',
  leaving: 'cus',
  balanceMove: 'cbtxn',
  method: 'pm',
  saved: 'pm',
  attachable: 'pm',
  detachable: 'pm',
  bankAccount: 'ba',
  leavingBankAccount: 'ba',
  payout: 'po',
  token: 'tok',
  endpoint: 'we',
  deletable: 'we',
  event: 'evt',
  delivery: 'dlv',
  replay: 'rpl',
  file: 'file',
  dispute: 'dp',
  acceptable: 'dp',
  testClock: 'clock',
  leavingClock: 'clock',
  product: 'prod',
  leavingProduct: 'prod',
  price: 'price',
  unsoldPrice: 'price',
  invoiceItem: 'ii',
  leavingInvoiceItem: 'ii',
  invoice: 'in',
  invoiceLine: 'il',
  leavingInvoice: 'in',
  finalizable: 'in',
  sendable: 'in',
  issued: 'in',
  payable: 'in',
  doubtful: 'in',
  subscriber: 'cus',
  subscription: 'sub',
  leavingSubscription: 'sub',
  subscriptionItem: 'si',
  leavingSubscriptionItem: 'si',
  line: 'txn',
  spareKey: 'key',
  application: 'ca',
  disconnected: 'ca',
};

/** Whose objects they are. */
export interface Owning {
  /** Of the mount. */
  readonly url: string;
  /** A secret key. */
  readonly key: string;
  readonly spareKey: string;
  /** Its worker makes funds available, and sends what the sandbox does later. */
  readonly app: Pick<TestApp, 'worker' | 'databaseUrl'>;
  /** Platforms that the account connected. */
  readonly applications: readonly [string, string];
  /** @defaultValue test */
  readonly environment?: 'live' | 'test';
}

/** Makes one object of every kind. */
export async function makeBelongings({
  url,
  key,
  spareKey,
  app: { worker, databaseUrl },
  applications: [application, disconnected],
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
  const customer = await createObject('/v1/customers', 'name=Ada&email=ada@example.com');
  const newSaved = async (): Promise<string> => {
    const method = await newMethod();
    return createObject(`/v1/payment_methods/${method}/attach`, `customer=${customer}`);
  };
  const sale = async (): Promise<string> =>
    `amount=100&currency=eur&payment_method=${await newMethod()}`;
  const charge = await post('/v1/charges', await sale());
  const events = await ask(`${url}/v1/events?limit=1`, { key });
  const [event] = events.json['data'] as { id: string }[];
  const hook = 'url=https%3A%2F%2F127.0.0.1%3A8443%2F&enabled_events[]=payout.paid';
  const newEndpoint = () => createObject('/v1/webhook_endpoints', hook);
  const openReplay = async (): Promise<string> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const to = await newEndpoint();
      const id = await createObject('/v1/replays', `to=${to}&types[]=dispute.won`);
      await post(`/v1/webhook_endpoints/${to}`, 'disabled=true');
      await worker.drain();
      const { json } = await ask(`${url}/v1/replays/${id}`, { key });
      if (json['status'] === 'running') return id;
      // A worker was quicker than this test.
    }
    throw new Error('No replay stays open.');
  };
  const newDispute = async (): Promise<string> => {
    const disputed = 'amount=100&currency=eur&source=tok_createDispute';
    const of = await createObject('/v1/charges', disputed);
    // It would come two seconds later.
    await query(databaseUrl, `UPDATE paymount.sandbox_notices SET due_at = 'epoch'`);
    await worker.drain();
    // Unless the worker has just begun with it by itself, it is there.
    const [dispute] = await eventually(
      async () =>
        (await ask(`${url}/v1/disputes?charge=${of}`, { key })).json['data'] as { id: string }[],
      ({ length }) => length === 1,
    );
    return String(dispute?.id);
  };
  const endpoint = await newEndpoint();
  const sent = await post(`/v1/events/${String(event?.id)}/replay`, `endpoint=${endpoint}`);
  const [delivery] = sent['data'] as { id: string }[];
  const { json: account } = await ask(`${url}/v1/account`, { key });
  const bankAccounts = `/v1/accounts/${String(account['id'])}/external_accounts`;
  const bankAccount = await createObject(bankAccounts, 'external_account=btok_us');
  const early = 'type=card&card[token]=tok_bypassPending';
  const funds = await createObject('/v1/payment_methods', early);
  await post('/v1/charges', `amount=100000&currency=eur&payment_method=${funds}`);
  await worker.drain();
  const payout = await createObject(
    '/v1/payouts',
    `amount=1&currency=eur&destination=${bankAccount}`,
  );
  await post(`/v1/payouts/${payout}/cancel`, '');
  const product = await createObject('/v1/products', 'name=Tea');
  const ofCustomer = `customer=${customer}&currency=eur`;
  const newItem = (more = '') =>
    createObject('/v1/invoiceitems', `${ofCustomer}&amount=100&description=Tea${more}`);
  const newInvoice = async (more = ''): Promise<string> => {
    const draft = await createObject('/v1/invoices', `${ofCustomer}&${more}`);
    await newItem(`&invoice=${draft}`);
    return draft;
  };
  const issue = async () => createObject(`/v1/invoices/${await newInvoice()}/finalize`, '');
  const invoice = await newInvoice();
  const { json: lines } = await ask(`${url}/v1/invoices/${invoice}/lines`, { key });
  const [invoiceLine] = lines['data'] as { id: string }[];
  const newPrice = () =>
    createObject(
      '/v1/prices',
      `product=${product}&currency=eur&unit_amount=1900&recurring[interval]=month`,
    );
  const price = await newPrice();
  // Of another customer: its invoice would take what waits.
  const subscriber = await createObject('/v1/customers', 'name=Mary');
  const subscribing = await createObject(
    `/v1/payment_methods/${await newMethod()}/attach`,
    `customer=${subscriber}`,
  );
  const settings = `invoice_settings[default_payment_method]=${subscribing}`;
  await post(`/v1/customers/${subscriber}`, settings);
  const sold = `customer=${subscriber}&items[0][price]=${price}`;
  const subscription = await post(
    '/v1/subscriptions',
    `${sold}&items[1][price]=${await newPrice()}`,
  );
  const [item, leavingItem] = (subscription['items'] as { data: { id: string }[] }).data;
  const clocks = '/v1/test_helpers/test_clocks';
  const card = 'card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2044';
  return {
    account: String(account['id']),
    bankAccount,
    leavingBankAccount: await createObject(bankAccounts, 'external_account=btok_us'),
    payout,
    charge: String(charge['id']),
    line: String(charge['balance_transaction']),
    event: String(event?.id),
    authorized: await createObject('/v1/charges', `${await sale()}&capture=false`),
    releasable: await createObject('/v1/charges', `${await sale()}&capture=false`),
    refund: await createObject('/v1/refunds', `charge=${String(charge['id'])}&amount=1`),
    customer,
    leaving: await createObject('/v1/customers', 'name=Grace'),
    balanceMove: await createObject(
      `/v1/customers/${customer}/balance_transactions`,
      // No invoice is in this currency, so none takes it.
      'amount=-500&currency=jpy',
    ),
    method: await newMethod(),
    attachable: await newMethod(),
    detachable: await newSaved(),
    saved: await newSaved(),
    ...(environment === 'test'
      ? {
          token: await createObject('/v1/tokens', card),
          testClock: await createObject(clocks, 'frozen_time=1893456000'),
          leavingClock: await createObject(clocks, 'frozen_time=1893456000'),
          dispute: await newDispute(),
          acceptable: await newDispute(),
        }
      : {}),
    file: await uploadFile(`${url}/v1/files`, key),
    product,
    leavingProduct: await createObject('/v1/products', 'name=Coffee'),
    price,
    invoiceItem: await newItem(),
    leavingInvoiceItem: await newItem(),
    invoice,
    invoiceLine: String(invoiceLine?.id),
    leavingInvoice: await newInvoice(),
    finalizable: await newInvoice(),
    sendable: await newInvoice('collection_method=send_invoice&days_until_due=7'),
    issued: await issue(),
    payable: await issue(),
    doubtful: await issue(),
    subscriber,
    subscription: String(subscription['id']),
    leavingSubscription: await createObject('/v1/subscriptions', sold),
    subscriptionItem: String(item?.id),
    leavingSubscriptionItem: String(leavingItem?.id),
    unsoldPrice: await newPrice(),
    endpoint,
    delivery: String(delivery?.id),
    replay: await openReplay(),
    deletable: await newEndpoint(),
    spareKey,
    application,
    disconnected,
  };
}
