import { parseId, type SubscriptionItemId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { withRenamedParams } from '../../kernel/errors/renamed-params.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { pricesOf, toSubscriptionItemResource } from './render-subscription.ts';
import type { Subscription } from './subscription.ts';
import type { DeletedSubscriptionItemJson } from './subscription-answer.ts';
import type {
  SubscriptionItemCreate,
  SubscriptionItemDelete,
  SubscriptionItemUpdate,
} from './subscription-item-input.ts';
import type { SubscriptionItemJson } from './subscription-resource.ts';
import type { SubscriptionService } from './subscription-service.ts';
import type { SubscriptionStorage } from './subscription-storage.ts';

const NAME = { noun: 'subscription item', prefix: 'si' } as const;

export interface SubscriptionItemPorts {
  readonly storage: Pick<SubscriptionStorage, 'read'>;
  readonly subscriptions: Pick<SubscriptionService, 'changeItem'>;
}

/** Errors name parameters of the only item: `price`, not `items[0][price]`. */
function ofItem<Result>(work: () => Promise<Result>): Promise<Result> {
  return withRenamedParams(work, (param) => param.replace(/^items\[0\]\[(\w+)\]/, '$1'));
}

/** The items of subscriptions, one by one: each change is a change of its subscription. */
export class SubscriptionItemService {
  readonly #ports: SubscriptionItemPorts;

  constructor(ports: SubscriptionItemPorts) {
    this.#ports = ports;
  }

  /** Adds an item. @throws PaymountError as `SubscriptionService.update` lists */
  async create(call: Call, input: SubscriptionItemCreate): Promise<SubscriptionItemJson> {
    const { subscription, price, price_data, quantity, metadata, ...rest } = input;
    const item = { price, price_data, quantity, metadata };
    const after = await ofItem(() =>
      this.#ports.subscriptions.changeItem(call, subscription, {
        input: { ...rest, items: [item] },
        answers: 'last_item',
        param: 'subscription',
      }),
    );
    return required(after.items.data.at(-1));
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<SubscriptionItemJson> {
    const { subscription, item } = await this.#find(call, id);
    const prices = await pricesOf(this.#ports.storage.read, [subscription]);
    return toSubscriptionItemResource(subscription, item, prices);
  }

  /** The items of a subscription, in their order. @throws PaymountError `resource_missing`, `invalid_cursor` */
  async list(
    call: Call,
    { subscription: name }: { readonly subscription: string },
    { limit, startingAfter, endingBefore }: PageRequest,
  ): Promise<Page<SubscriptionItemJson>> {
    const { read } = this.#ports.storage;
    const id = parseId('sub', name);
    const subscription = id && (await read.subscriptions.find(ownerOf(call), id));
    if (subscription === undefined) throw missing('subscription', name, 'subscription');
    const prices = await pricesOf(read, [subscription]);
    const items = subscription.items.map((item) =>
      toSubscriptionItemResource(subscription, item, prices),
    );
    if (endingBefore !== undefined) {
      const end = placeOf(items, endingBefore, 'ending_before');
      const first = Math.max(0, end - limit);
      return { data: items.slice(first, end), hasMore: first > 0 };
    }
    const first =
      startingAfter === undefined ? 0 : placeOf(items, startingAfter, 'starting_after') + 1;
    return { data: items.slice(first, first + limit), hasMore: first + limit < items.length };
  }

  /** Changes an item. @throws PaymountError as `SubscriptionService.update` lists */
  async update(
    call: Call,
    id: string,
    input: SubscriptionItemUpdate,
  ): Promise<SubscriptionItemJson> {
    const { subscription, item } = await this.#find(call, id);
    const { price, price_data, quantity, metadata, ...rest } = input;
    const change = { id: item.id, price, price_data, quantity, metadata };
    const answers = `item ${item.id}` as const;
    const after = await ofItem(() =>
      this.#ports.subscriptions.changeItem(call, subscription.id, {
        input: { ...rest, items: [change] },
        answers,
      }),
    );
    return required(after.items.data.find((each) => each.id === item.id));
  }

  /** Removes an item. @throws PaymountError as `SubscriptionService.update` lists */
  async delete(
    call: Call,
    id: string,
    input: SubscriptionItemDelete,
  ): Promise<DeletedSubscriptionItemJson> {
    const { subscription, item } = await this.#find(call, id);
    const answers = `deleted_item ${item.id}` as const;
    await ofItem(() =>
      this.#ports.subscriptions.changeItem(call, subscription.id, {
        input: { ...input, items: [{ id: item.id, deleted: true }] },
        answers,
      }),
    );
    return { id: item.id, object: 'subscription_item', deleted: true };
  }

  async #find(call: Call, name: string) {
    const { subscriptions } = this.#ports.storage.read;
    const itemOf = (of: Subscription, id: SubscriptionItemId) =>
      of.items.find((each) => each.id === id);
    return findOrThrow(NAME, name, async (id) => {
      const subscription = await subscriptions.findByItem(ownerOf(call), id);
      const item = subscription && itemOf(subscription, id);
      return subscription && item && { subscription, item };
    });
  }
}

function placeOf(items: readonly SubscriptionItemJson[], id: string, param: string): number {
  const place = items.findIndex((item) => item.id === id);
  if (place >= 0) return place;
  throw new PaymountError('invalid_cursor', undefined, { param });
}

function required(item: SubscriptionItemJson | undefined): SubscriptionItemJson {
  if (item === undefined) throw new Error('A change of an item has lost it.');
  return item;
}
