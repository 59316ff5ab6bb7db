import type { AnswerOf } from '../invoices/charge-invoice.ts';
import type { SubscriptionItemJson, SubscriptionJson } from './subscription-resource.ts';

/** What is left of a removed item. */
export interface DeletedSubscriptionItemJson {
  readonly id: string;
  readonly object: 'subscription_item';
  readonly deleted: true;
}

/**
 * What a request about a subscription or one of its items is answered with.
 * @throws Error if the item is not there, which is a bug
 */
export function answerFor(
  subscription: SubscriptionJson,
  answers: AnswerOf,
): SubscriptionJson | SubscriptionItemJson | DeletedSubscriptionItemJson {
  const { data } = subscription.items;
  if (answers === 'last_item') return required(data.at(-1), answers);
  const [what, id = ''] = answers.split(' ');
  if (what === 'deleted_item') return { id, object: 'subscription_item', deleted: true };
  if (what !== 'item') return subscription;
  return required(
    data.find((item) => item.id === id),
    answers,
  );
}

function required(item: SubscriptionItemJson | undefined, answers: AnswerOf): SubscriptionItemJson {
  if (item === undefined) throw new Error(`There is no ${answers}.`);
  return item;
}
