import type {
  AccountId,
  ChargeId,
  CustomerId,
  Owner,
  Page,
  PageRequest,
} from '@paymount/core/kernel';
import type { PostgresStorage } from '@paymount/storage-postgres';
import {
  CUSTOMERS,
  customerNumber,
  DISPUTES,
  PAYOUTS,
  type Places,
} from '../support/seed-rarer-objects.ts';
import { seeded } from '../support/timing.ts';

/** Few, so that each has a long history; odd, as `seedHistory` wants it. */
export const ACCOUNTS = 7;
/** Rows of the largest page that the API gives. */
export const LARGEST_PAGE = 100;
/** Every 20 charges, the fifth is refunded by half. */
const REFUNDS: Places = { every: 20, at: 4 };

/** An object drawn from the whole history, and what a list that begins after it needs. */
export interface Drawn {
  readonly n: number;
  readonly owner: Owner;
  /** One of the ten with a long history. */
  readonly customer: CustomerId;
  readonly at: Date;
  /** Ids of charges of this owner, the newest first, as many as the largest page has. */
  readonly charges: readonly ChargeId[];
}

/** A list of a long history. */
export interface HistoryList {
  /** Which charges have an object of it. */
  readonly places: Places;
  /** The object with that number, as a cursor. */
  cursor(n: number): string;
  read(drawn: Drawn, page: PageRequest): Promise<Page<unknown>>;
}

/** Each list of the API that grows with the history, and those with a filter. */
export function historyLists({ read }: PostgresStorage['storage']): Record<string, HistoryList> {
  const { charges, refunds, ledger, customers, disputes, payouts } = read;
  const of = (places: Places, cursor: HistoryList['cursor'], list: HistoryList['read']) => ({
    places,
    cursor,
    read: list,
  });
  const ofCharges = (list: HistoryList['read']) => of(REFUNDS, (n) => made('ch', n), list);
  const ofLines = (list: HistoryList['read']) => of(REFUNDS, (n) => made('txn', 3 * n), list);
  const ofCustomers = (list: HistoryList['read']) =>
    of(CUSTOMERS, (n) => made('cus', customerNumber(n)), list);
  const ofDisputes = (list: HistoryList['read']) => of(DISPUTES, (n) => made('dp', n), list);
  const ofPayouts = (list: HistoryList['read']) => of(PAYOUTS, (n) => made('po', n), list);
  return {
    charges: ofCharges(({ owner }, page) => charges.list(owner, {}, page)),
    'failed charges': ofCharges(({ owner }, page) =>
      charges.list(owner, { status: 'failed' }, page),
    ),
    'charges of a customer': ofCharges(({ owner, customer }, page) =>
      charges.list(owner, { customerId: customer }, page),
    ),
    'charges before a time': ofCharges(({ owner, at }, page) =>
      charges.list(owner, { created: { lt: at } }, page),
    ),
    refunds: of(
      REFUNDS,
      (n) => made('re', n),
      ({ owner }, page) => refunds.list(owner, {}, page),
    ),
    'balance transactions': ofLines(({ owner }, page) => ledger.listTransactions(owner, {}, page)),
    'balance transactions of refunds': ofLines(({ owner }, page) =>
      ledger.listTransactions(owner, { types: ['refund'] }, page),
    ),
    customers: ofCustomers(({ owner }, page) => customers.list(owner, {}, page)),
    'customers of an address': ofCustomers(({ owner, n }, page) =>
      customers.list(owner, { email: `buyer${n % 1_000}@example.com` }, page),
    ),
    disputes: ofDisputes(({ owner }, page) => disputes.list(owner, {}, page)),
    'closed disputes': ofDisputes(({ owner }, page) =>
      disputes.list(owner, { status: 'warning_closed' }, page),
    ),
    'disputes due before a time': ofDisputes(({ owner, at }, page) =>
      disputes.list(owner, { dueBy: { lt: at } }, page),
    ),
    payouts: ofPayouts(({ owner }, page) => payouts.list(owner, {}, page)),
    'canceled payouts': ofPayouts(({ owner }, page) =>
      payouts.list(owner, { status: 'canceled' }, page),
    ),
  };
}

/**
 * Draws objects of a history of so many charges. The seed is always the same.
 * @returns draws one of those places
 */
export function drawer(charges: number): (places: Places) => Drawn {
  const random = seeded(1);
  return ({ every, at }) => {
    const n = Math.floor((random() * (charges - at)) / every) * every + at;
    const account = n % ACCOUNTS;
    const isLive = Math.floor(n / 20) % 4 === 0;
    // The next charge of the same account and kind, in the same environment, is so many later.
    const apart = 80 * ACCOUNTS;
    const older = Array.from({ length: LARGEST_PAGE }, (_, index) => n - index * apart);
    return {
      n,
      owner: { accountId: made<AccountId>('acct', account), environment: isLive ? 'live' : 'test' },
      customer: made<CustomerId>('cus', account * 20 + (isLive ? 10 : 0) + (n % 10)),
      at: new Date(Date.UTC(2026, 0, 1) + n * 1_000),
      charges: older.filter((each) => each >= 0).map((each) => made<ChargeId>('ch', each)),
    };
  };
}

function made<Text extends string>(prefix: string, n: number): Text {
  return `${prefix}_${String(n).padStart(26, '0')}` as Text;
}
