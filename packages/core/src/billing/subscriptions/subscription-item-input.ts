import { z } from 'zod';
import { IdInput, ITEM_FIELDS, SubscriptionUpdateInput } from './subscription-input.ts';

const { proration_behavior, proration_date, payment_behavior, off_session } =
  SubscriptionUpdateInput.shape;
/** How the change is billed, as that of a subscription. */
const billing = { proration_behavior, proration_date, payment_behavior, off_session };

export const SubscriptionItemCreateInput = z
  .strictObject({ subscription: IdInput, ...ITEM_FIELDS, ...billing })
  .meta({ id: 'NewSubscriptionItem' });

export const SubscriptionItemUpdateInput = z
  .strictObject({ ...ITEM_FIELDS, ...billing })
  .meta({ id: 'SubscriptionItemUpdate' });

export const SubscriptionItemDeleteInput = z
  .strictObject(billing)
  .meta({ id: 'SubscriptionItemDelete' });

export type SubscriptionItemCreate = z.output<typeof SubscriptionItemCreateInput>;
export type SubscriptionItemUpdate = z.output<typeof SubscriptionItemUpdateInput>;
export type SubscriptionItemDelete = z.output<typeof SubscriptionItemDeleteInput>;
