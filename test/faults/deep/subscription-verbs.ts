import type { ApiAnswer } from '../api-client.ts';
import type { Merchant, Setup } from './setup.ts';

/** What may happen to one subscription at the same moment. */
const VERBS = [
  'renew',
  'change',
  'cancel',
  'pay',
  'pause',
  'retry',
  'detach',
  'remove',
  'void',
] as const;
export type SubscriptionVerb = (typeof VERBS)[number];

/** One pair of verbs, in the order of `VERBS`. */
export type SubscriptionPair = readonly [SubscriptionVerb, SubscriptionVerb];

/** All pairs, of a verb with itself too. */
export function subscriptionPairs(): readonly SubscriptionPair[] {
  return VERBS.flatMap((a, index) => VERBS.slice(index).map((b) => [a, b] as const));
}

/** A daily subscription, and what the verbs of a pair are about. */
export interface SubscriptionTarget {
  readonly pair: SubscriptionPair;
  readonly merchant: Merchant;
  readonly customer: string;
  readonly method: string;
  /** The token of its card at the bank. */
  readonly token: string;
  readonly subscription: string;
  readonly item: string;
  /** The invoice that `pay` and `void` are about. */
  readonly invoice: string;
}

/** @param index of the call among those of its race */
export async function callOn(
  setup: Setup,
  target: SubscriptionTarget,
  { verb, index }: { readonly verb: SubscriptionVerb; readonly index: number },
): Promise<ApiAnswer | undefined> {
  const { merchant, customer, method, subscription, item, invoice } = target;
  switch (verb) {
    case 'renew':
    case 'retry':
      await setup.bill(merchant.account);
      return undefined;
    case 'change':
      return merchant.post(`subscriptions/${subscription}`, {
        items: [{ id: item, quantity: 1 + (index % 3) }],
        proration_behavior: index % 4 < 2 ? 'always_invoice' : 'create_prorations',
      });
    case 'cancel':
      return merchant.remove(`subscriptions/${subscription}`);
    case 'pause':
      return merchant.post(`subscriptions/${subscription}`, {
        pause_collection: index % 4 < 2 ? { behavior: 'void' } : '',
      });
    case 'pay':
    case 'void':
      return merchant.post(`invoices/${invoice}/${verb}`);
    case 'detach':
      return merchant.post(`payment_methods/${method}/detach`);
    case 'remove':
      return merchant.remove(`customers/${customer}`);
  }
}

const ENDED = ['subscription_canceled'];
const NO_METHOD = [
  'payment_method_missing',
  'payment_method_unattached',
  'payment_method_unusable',
  'resource_missing',
];

/** Whatever loses a race must be told so in these words. */
const LOST: Readonly<Record<SubscriptionVerb, readonly string[]>> = {
  renew: [],
  retry: [],
  change: [
    ...ENDED,
    ...NO_METHOD,
    'subscription_unpaid',
    'subscription_renewal_due',
    'operation_in_progress',
  ],
  cancel: ENDED,
  pause: ENDED,
  pay: [...NO_METHOD, 'status_transition_invalid', 'invoice_payment_in_progress'],
  void: ['status_transition_invalid', 'invoice_payment_in_progress'],
  detach: ['payment_method_unusable', 'payment_method_unattached'],
  remove: ['resource_missing'],
};

/** Whether an answer is one that the verb may have; a lock may take over three seconds. */
export function isFairOn(verb: SubscriptionVerb, { status, code = '' }: ApiAnswer): boolean {
  if (status === 200 || (status === 429 && code === 'lock_timeout')) return true;
  return [400, 404, 409].includes(status) && LOST[verb].includes(code);
}
