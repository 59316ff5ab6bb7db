import type { Knex } from 'knex';
import { createPaymount, type Logger, type Paymount, type PaymountOptions } from 'paymount';
import { HouseBank } from './house-bank.ts';
import { settleOrder } from './orders.ts';

/** The settings of the shop's payments. */
export interface PaymentSettings {
  readonly database: Knex;
  readonly bank: { readonly url: string; readonly key: string };
  /** Newest first; each has 32 random bytes in base64. Protect them like the database. */
  readonly sealingKeys: readonly { readonly kid: string; readonly key: string }[];
  readonly redisUrl?: string;
  /** `smtps://user:password@host`; without it e-mails wait in the database. */
  readonly smtpUrl?: string;
  /** Addresses of the shop's own proxies, whose headers about clients are trusted. */
  readonly proxies?: readonly string[];
  /** The source of reports of leaked keys: GitHub, unless a test replaces it. */
  readonly githubKeysUrl?: string;
  /** The rate limits; a real shop uses the defaults. */
  readonly rateLimit?: PaymountOptions['rateLimit'];
  /** Where customers open invoices of the test environment. @defaultValue that behind the shop's proxy */
  readonly invoicesUrl?: string;
  readonly logger?: Logger;
  /** @defaultValue the machine's */
  readonly clock?: PaymountOptions['clock'];
}

/** The sender of e-mails to merchants whose key leaked, and the recipient of all other notices. */
const MAIL = {
  from: 'The tea shop <payments@tea-shop.example>',
  operator: 'security@tea-shop.example',
} as const;

const INVOICES_URL = 'https://test.pay.tea-shop.example/invoices';
/** What customers see of their invoices, besides the name of the merchant. */
const INVOICES = {
  seller: { details: ['1 High Street', 'London'] },
  appearance: { name: 'The tea shop', colors: { accent: '#0b6e4f' } },
} as const;

/**
 * Paymount as this shop configures it: in the shop's own database, with the shop's bank for live,
 * and with the hook that settles orders.
 */
export function openShopPayments(settings: PaymentSettings): Promise<Paymount> {
  const { database, bank, sealingKeys, redisUrl, smtpUrl, proxies, githubKeysUrl } = settings;
  const { rateLimit, logger, clock, invoicesUrl = INVOICES_URL } = settings;
  return createPaymount({
    database,
    migrate: true,
    hook: settleOrder,
    processors: { live: new HouseBank(bank.url, bank.key) },
    sealingKeys,
    // This shop's receivers are on this machine; a real host does not need this.
    egress: { allowedNetworks: ['127.0.0.0/8'], ports: 'any' },
    mail: { ...MAIL, ...(smtpUrl === undefined ? {} : { smtp: smtpUrl }) },
    invoices: { ...INVOICES, urls: { test: invoicesUrl } },
    // For the demo; a real shop should not start without a way to send e-mail to its merchants.
    ...(smtpUrl === undefined ? { mailer: false } : {}),
    ...(proxies === undefined ? {} : { trustedProxies: proxies }),
    ...(githubKeysUrl === undefined ? {} : { leaks: { github: { keysUrl: githubKeysUrl } } }),
    ...(redisUrl === undefined ? {} : { redis: redisUrl }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(logger === undefined ? {} : { logger }),
    ...(clock === undefined ? {} : { clock }),
  });
}
