import express from 'express';
import type { Acting, Paymount } from 'paymount';
import { startWorker } from 'paymount/worker';
import { openShopPayments, type PaymentSettings } from '../shop-payments.ts';
import { callApi, callApiOk, requireText } from './api-client.ts';
import { openMerchant } from './merchant.ts';
import { openOrigin } from './origin.ts';
import { PastClock } from './past-clock.ts';
import { openReceivers } from './past-receivers.ts';
import { UndoStack } from './undo-stack.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Of 24 hours in UTC: few buy tea at night. */
const BUYERS = [1, 0, 0, 0, 0, 1, 2, 4, 6, 8, 9, 9, 8, 7, 7, 8, 9, 11, 12, 12, 10, 7, 4, 2];
const CARDS = ['pm_card_visa', 'pm_card_mastercard', 'pm_card_amex', 'pm_card_visa'];
const DECLINED = 'pm_card_visa_chargeDeclined';
const GOODS = ['Assam', 'Darjeeling', 'Sencha', 'Teapot', 'Earl Grey', 'Mug', 'Oolong'];
/** Every so many charges there is one of these. */
const EVERY = { decline: 17, refund: 23, dispute: 160 } as const;

interface Keys {
  readonly checkout: string;
  readonly backOffice: string;
}

interface PastDay {
  readonly paymount: Paymount;
  readonly clock: PastClock;
  readonly keys: Keys;
}

interface PastShop extends Keys {
  readonly clock: PastClock;
  readonly baseUrl: string;
}

/**
 * Makes an account with traffic up to now, as it would be after real days: a second Paymount lives
 * through them on a clock of its own, in the same database, with a router, receivers and a worker.
 * Nothing else may use the database meanwhile.
 * @param undo ends the receivers, which outlive the past
 * @returns the account
 */
export async function livePastDays(
  settings: PaymentSettings,
  { days, undo }: { readonly days: number; readonly undo: UndoStack },
): Promise<Acting> {
  const clock = new PastClock(days * DAY_MS);
  const { merchant, keys } = await open({ ...settings, clock }, async (paymount) => {
    const owner = await openMerchant(paymount);
    await openReceivers(paymount, owner, clock, undo);
    return { merchant: owner, keys: await openKeys(paymount, owner, clock) };
  });
  let charged = 0;
  // A process for each day: as it ends, it writes which keys were used.
  while (clock.shiftMs < 0) {
    charged = await open({ ...settings, clock }, (paymount, own) =>
      liveThroughDay({ paymount, clock, keys }, charged, own),
    );
  }
  return merchant;
}

/** Does something with a Paymount of its own. */
async function open<Result>(
  settings: PaymentSettings,
  work: (paymount: Paymount, own: UndoStack) => Promise<Result>,
): Promise<Result> {
  const own = new UndoStack();
  try {
    const paymount = await openShopPayments(settings);
    own.push(() => paymount.close());
    return await work(paymount, own);
  } finally {
    await own.close();
  }
}

/** @returns how many charges there are now */
async function liveThroughDay(
  { paymount, clock, keys }: PastDay,
  before: number,
  own: UndoStack,
): Promise<number> {
  const origin = await openOrigin(0, own);
  origin.serve(express().use(paymount.router({ environment: 'test', requireTls: false })));
  const worker = await startWorker(paymount);
  own.push(() => worker.close());
  const shop: PastShop = { clock, baseUrl: origin.url, ...keys };
  let charged = before;
  const endMs = clock.now().getTime() + DAY_MS;
  while (clock.shiftMs < 0 && clock.now().getTime() < endMs) {
    charged = await liveThroughHour(shop, charged);
    await worker.drain();
  }
  return charged;
}

/** Two keys that are used, one that nobody uses, and one that expires soon. */
async function openKeys({ keys }: Paymount, { account }: Acting, clock: PastClock): Promise<Keys> {
  const common = { account, livemode: false } as const;
  const checkout = await keys.create({ ...common, type: 'secret', name: 'Checkout' });
  const reads = { type: 'restricted', scopes: ['charges:read'] } as const;
  const backOffice = await keys.create({ ...common, ...reads, name: 'Back office' });
  await keys.create({ ...common, type: 'secret', name: 'Old laptop' });
  const expires = new Date(clock.now().getTime() - clock.shiftMs + 3 * DAY_MS).toISOString();
  await keys.create({ ...common, ...reads, name: 'Agency', expires_at: expires });
  return { checkout: checkout.secret, backOffice: backOffice.secret };
}

/** @returns how many charges there are now */
async function liveThroughHour(shop: PastShop, before: number): Promise<number> {
  const { clock } = shop;
  const buyers = BUYERS[clock.now().getUTCHours()] ?? 0;
  const last = before + buyers;
  const stepMs = HOUR_MS / (buyers + 1);
  for (let number = before + 1; number <= last; number += 1) {
    clock.advance(stepMs);
    const charge = await buy(shop, number);
    if (charge !== undefined && number % EVERY.refund === 0) {
      await callApiOk(shop, shop.checkout, '/v1/refunds', {
        charge,
        reason: 'requested_by_customer',
      });
    }
    if (number % EVERY.dispute === 0) {
      const type = { type: 'dispute.created' };
      await callApiOk(shop, shop.checkout, '/v1/test_helpers/events', type);
    }
  }
  await callApi(shop, shop.backOffice, '/v1/charges?limit=10');
  clock.advance(stepMs);
  return last;
}

/** @returns the charge; undefined if the card was declined */
async function buy(shop: PastShop, number: number): Promise<string | undefined> {
  const goods = GOODS[number % GOODS.length] ?? '';
  const isDeclined = number % EVERY.decline === 0;
  const { status, body } = await callApi(shop, shop.checkout, '/v1/charges', {
    amount: String(450 + ((number * 379) % 5_200)),
    currency: number % 9 === 0 ? 'usd' : 'eur',
    payment_method: isDeclined ? DECLINED : (CARDS[number % CARDS.length] ?? ''),
    description: goods,
    'metadata[order]': String(10_000 + number),
  });
  if (isDeclined && status === 402) return undefined;
  if (status !== 200) throw new Error(`A charge got ${status}: ${JSON.stringify(body)}`);
  return requireText(body, 'id');
}
