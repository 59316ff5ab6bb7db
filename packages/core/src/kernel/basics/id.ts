import { firstSuffixAt, isSuffix, newSuffix, suffixMadeAtMs } from './time-ordered-suffix.ts';

declare const kind: unique symbol;

/** A public id: prefix, `_`, and a time-ordered suffix (TypeID: UUIDv7 in base32). */
export type Id<Prefix extends string> = `${Prefix}_${string}` & { readonly [kind]: Prefix };

export type AccountId = Id<'acct'>;
export type AdjustmentId = Id<'adj'>;
export type AttemptId = Id<'att'>;
export type AuditId = Id<'aud'>;
export type BalanceTransactionId = Id<'txn'>;
export type BankAccountId = Id<'ba'>;
export type ChargeId = Id<'ch'>;
export type CustomerBalanceTransactionId = Id<'cbtxn'>;
export type CustomerId = Id<'cus'>;
export type DeliveryId = Id<'dlv'>;
export type DisputeId = Id<'dp'>;
export type EndpointId = Id<'we'>;
export type EndpointSecretId = Id<'whs'>;
export type EventId = Id<'evt'>;
export type FileId = Id<'file'>;
export type InvoiceId = Id<'in'>;
export type InvoiceItemId = Id<'ii'>;
export type InvoiceLineId = Id<'il'>;
export type KeyId = Id<'key'>;
export type LeakId = Id<'leak'>;
export type LedgerTransactionId = Id<'ltx'>;
export type MailId = Id<'mail'>;
export type MandateId = Id<'mandate'>;
export type OperationId = Id<'op'>;
export type PaymentMethodId = Id<'pm'>;
export type PayoutId = Id<'po'>;
export type PriceId = Id<'price'>;
export type ProductId = Id<'prod'>;
export type RefundId = Id<'re'>;
export type ReplayId = Id<'rpl'>;
export type RequestId = Id<'req'>;
export type SettlementDifferenceId = Id<'sd'>;
export type SettlementLineId = Id<'sl'>;
export type StoredNoticeId = Id<'ntc'>;
export type SubscriptionId = Id<'sub'>;
export type SubscriptionItemId = Id<'si'>;
export type TestClockId = Id<'clock'>;
/** `tok_`: of a card; `btok_`: of a bank account. */
export type TokenId = Id<'tok'> | Id<'btok'>;

/**
 * Makes a new id. Ids sort by creation time of the machine, not by business time: a test clock
 * changes `created`, but not the order of ids.
 */
export function newId<const Prefix extends string>(prefix: Prefix): Id<Prefix> {
  return `${prefix}_${newSuffix()}` as Id<Prefix>;
}

/**
 * Reads an id that came from outside.
 * @param text the value that was sent as an id; JavaScript callers may pass any type
 * @returns the typed id, or `undefined` if prefix, length or alphabet are wrong; callers then
 *   answer as for an unknown id
 */
export function parseId<const Prefix extends string>(
  prefix: Prefix,
  text: unknown,
): Id<Prefix> | undefined {
  if (typeof text !== 'string' || !text.startsWith(`${prefix}_`)) return undefined;
  return isSuffix(text.slice(prefix.length + 1)) ? (text as Id<Prefix>) : undefined;
}

/** The smallest id of a millisecond: every id made from then on is greater than or equal to it. */
export function firstIdAt<const Prefix extends string>(prefix: Prefix, ms: number): Id<Prefix> {
  return `${prefix}_${firstSuffixAt(Math.max(0, ms))}` as Id<Prefix>;
}

/** The creation time of an id: milliseconds since 1970 on the machine that made it. */
export function madeAtMs(id: Id<string>): number {
  return suffixMadeAtMs(id.slice(id.lastIndexOf('_') + 1));
}
