import type { Knex } from 'knex';
import { createPaymount, type Logger, type Paymount } from 'paymount';
import { HouseBank } from './house-bank.ts';
import { settleOrder } from './orders.ts';

/** What the shop's payments need from outside. */
export interface PaymentSettings {
  readonly database: Knex;
  readonly bank: { readonly url: string; readonly key: string };
  /** 32 random bytes in base64, kept as carefully as the database. */
  readonly sealingKey: string;
  readonly redisUrl?: string;
  readonly logger?: Logger;
}

/**
 * Paymount, as this shop wants it: in the shop's own database, with the shop's bank for live, and
 * with the hook that settles orders.
 */
export function openShopPayments(settings: PaymentSettings): Promise<Paymount> {
  const { database, bank, sealingKey, redisUrl, logger } = settings;
  return createPaymount({
    database,
    migrate: true,
    hook: settleOrder,
    processors: { live: new HouseBank(bank.url, bank.key) },
    sealingKeys: [{ kid: 'shop', key: sealingKey }],
    // This shop's receivers are on this machine; a real host leaves this out.
    egress: { allowedNetworks: ['127.0.0.0/8'] },
    ...(redisUrl === undefined ? {} : { redis: redisUrl }),
    ...(logger === undefined ? {} : { logger }),
  });
}
