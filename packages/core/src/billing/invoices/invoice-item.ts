import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  CustomerId,
  InvoiceId,
  InvoiceItemId,
  PriceId,
  SubscriptionId,
  SubscriptionItemId,
} from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Clocked } from '../../payments/test-clocks/object-clock.ts';

/** The fields that a caller may change until it is invoiced. */
export interface InvoiceItemEdit {
  /** Minor units of one; negative: a credit. */
  readonly unitAmount: number;
  readonly quantity: number;
  /** What the customer reads on the invoice. */
  readonly description: string;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An amount that waits for the next invoice of a customer, or is on an invoice. */
export interface InvoiceItem extends Owner, InvoiceItemEdit, Clocked {
  readonly id: InvoiceItemId;
  readonly version: number;
  readonly customerId: CustomerId;
  readonly currency: string;
  /** Minor units: of all of them. */
  readonly amount: number;
  readonly priceId: PriceId | null;
  readonly isProration: boolean;
  /**
   * Of a proration: how many were sold; its amount is of all of them. Absent: a caller made it, or a process of a
   * version that did not keep this.
   */
  readonly soldQuantity?: number;
  /**
   * A caller has changed or deleted it, so the rules of proration say nothing about its amount. Null: it is not known,
   * because a process of a version wrote it that did not keep this.
   */
  readonly isEdited: boolean | null;
  /** Null: it waits for an invoice. */
  readonly invoiceId: InvoiceId | null;
  /** It waits for an invoice of this subscription. @defaultValue for the next one of the customer */
  readonly subscriptionId: SubscriptionId | null;
  readonly subscriptionItemId: SubscriptionItemId | null;
  readonly created: Date;
  readonly createdBy?: Maker;
  readonly deletedAt?: Date;
}

/** The item with changed fields, and the next version. */
export function editedItem(item: InvoiceItem, edit: Partial<InvoiceItemEdit>): InvoiceItem {
  const next = { ...item, ...edit, isEdited: true, version: item.version + 1 };
  return { ...next, amount: next.unitAmount * next.quantity };
}

/** The item that a caller has deleted. */
export function deletedItem(item: InvoiceItem, at: Date): InvoiceItem {
  return { ...item, isEdited: true, version: item.version + 1, deletedAt: at };
}
