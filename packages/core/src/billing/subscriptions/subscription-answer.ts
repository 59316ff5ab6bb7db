import type { SubscriptionItemJson, SubscriptionJson } from './subscription-resource.ts';

/** What is left of a removed item. */
export interface DeletedSubscriptionItemJson {
  readonly id: string;
  readonly object: 'subscription_item';
  readonly deleted: true;
}

/**
 * What a request about a subscription or one of its items is answered with: as `AnswerOf` names it. An item may be gone when the
 * result of a charge comes, and then so the answer says.
 */
export function answerFor(
  subscription: SubscriptionJson,
  answers: string,
): SubscriptionJson | SubscriptionItemJson | DeletedSubscriptionItemJson {
  const { data } = subscription.items;
  if (answers === 'last_item') return data.at(-1) ?? subscription;
  const [what, id = ''] = answers.split(' ');
  const isItem = what === 'item' || what === 'deleted_item';
  if (!isItem) return subscription;
  const found = what === 'item' ? data.find((item) => item.id === id) : undefined;
  return found ?? { id, object: 'subscription_item', deleted: true };
}
