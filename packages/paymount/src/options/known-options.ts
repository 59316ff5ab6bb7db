import type { Rate, RateLimitOptions } from '@paymount/auth';
import type { CustomerEmails, InvoiceSeller } from '@paymount/core/billing';
import { DELIVERIES_KEPT_DAYS } from '@paymount/core/events';
import {
  type AllOptions,
  ANY_OPTION,
  arrayOption,
  assertOptions,
  booleanOption,
  either,
  enumOption,
  functionOption,
  having,
  integerOption,
  type KnownOptions,
  numberOption,
  type OptionRule,
  objectOption,
  stringOption,
} from '@paymount/core/kernel';
import type { PdfFonts } from '@paymount/documents';
import { type BytesInFlightLimits, MAX_ANSWER_BYTES } from '@paymount/http';
import type { FaultShares } from '@paymount/processor-sandbox';
import { isProxyUrl } from '@paymount/webhooks';
import type { InvoiceSettings } from './invoice-settings.ts';
import { APPEARANCE, ROUTER_TAKERS } from './known-router-options.ts';
import type {
  EgressSettings,
  LeakSettings,
  MailSettings,
  PaymountOptions,
  RetentionSettings,
} from './options.ts';
import { POSTGRES_OPTIONS } from './postgres-storage.ts';
import type { WorkerOptions } from './router-options.ts';

const MAX_WAIT_MS = 600_000;
const falseOption: OptionRule = { must: 'false', accepts: (value) => value === false };
const nullOption: OptionRule = { must: 'null', accepts: (value) => value === null };
const urlOption = stringOption('an `http` or `https` address');
const rangeOption = stringOption('an address or a CIDR range such as 10.0.0.0/8');
/** The message does not repeat the text, which may contain a password. */
const proxyOption: OptionRule = {
  must: 'the URL of an HTTP proxy, written as http://user:password@host:port',
  accepts: (value) => typeof value === 'string' && isProxyUrl(value),
};
const positiveOption: OptionRule = {
  must: 'a number above 0',
  accepts: (value) => Number.isFinite(value) && Number(value) > 0,
};
const shareOption: OptionRule = {
  must: 'a share from 0 to 1',
  accepts: (value) => Number.isFinite(value) && Number(value) >= 0 && Number(value) <= 1,
};
/** The required members of each; names, sizes and duplicates are checked where they are used. */
const leakSourceOption: OptionRule = {
  must: 'a leak source with `name`, a text, and `verify`',
  accepts: (value) => having('', 'verify').accepts(value) && isText(value, 'name'),
};
const sealingKeyOption: OptionRule = {
  must: '`{ kid, key }`: a text, and a text or 32 bytes',
  accepts: (value) =>
    isText(value, 'kid') &&
    (isText(value, 'key') || readMember(value, 'key') instanceof Uint8Array),
};
const MAIL_OPTIONS: OptionRule = {
  must: "nodemailer's options, an object",
  accepts: (value) => typeof value === 'object' && value !== null,
};

const EGRESS: AllOptions<EgressSettings> = {
  allowedNetworks: arrayOption(rangeOption, "a list of CIDR ranges such as ['10.0.0.0/8']"),
  ports: either(
    arrayOption(integerOption(1, 65_535), 'a list of port numbers such as [8444]'),
    enumOption('any'),
  ),
  ca: stringOption('PEM certificates, as a text'),
  ownHosts: arrayOption(
    stringOption('a host name such as api.example.com, or an address'),
    "a list of hosts such as ['api.example.com']",
  ),
  proxy: proxyOption,
};
/** A hundred years: without an end, a time could be before all that a date can tell. */
const MAX_DAYS = 36_500;
/** No law wants less, and who corrects an invoice must still find it. */
const MIN_INVOICES_DAYS = 365;
const SELLER: AllOptions<InvoiceSeller> = {
  name: stringOption('a text'),
  details: arrayOption(stringOption('a text'), 'a list of lines'),
};
const FONTS: AllOptions<PdfFonts> = {
  regular: stringOption('the path of a file'),
  bold: stringOption('the path of a file'),
};
const EMAILS: AllOptions<CustomerEmails> = {
  receipt: booleanOption,
  paymentFailed: booleanOption,
  cardExpiring: booleanOption,
  upcomingDays: integerOption(1, 60),
  canceled: booleanOption,
};
const INVOICES: AllOptions<InvoiceSettings> = {
  urls: objectOption({ live: urlOption, test: urlOption }),
  seller: either(objectOption(SELLER), functionOption('a function of the account')),
  appearance: objectOption(APPEARANCE),
  emails: objectOption(EMAILS),
  timeZone: stringOption('a time zone such as Europe/Berlin'),
  fonts: objectOption(FONTS),
};
const RETENTION: AllOptions<RetentionSettings> = {
  eventsDays: either(integerOption(DELIVERIES_KEPT_DAYS, MAX_DAYS), nullOption),
  invoicesDays: either(integerOption(MIN_INVOICES_DAYS, MAX_DAYS), nullOption),
  export: functionOption('a function `(batch) => Promise<void>`'),
};
const LEAKS: AllOptions<LeakSettings> = {
  github: objectOption({ keysUrl: urlOption }),
  sources: arrayOption(leakSourceOption, 'a list of leak sources'),
};
const MAIL: AllOptions<MailSettings> = {
  smtp: either(stringOption('an `smtp` or `smtps` address'), MAIL_OPTIONS),
  from: stringOption('an address of a sender, as a text'),
  operator: stringOption('an e-mail address'),
  dashboardUrl: urlOption,
};
const byEnvironment = (rule: OptionRule): OptionRule => objectOption({ live: rule, test: rule });
const RATE: AllOptions<Rate> = {
  requests: positiveOption,
  seconds: positiveOption,
  burst: integerOption(1, Number.MAX_SAFE_INTEGER),
};
const rateOption = objectOption(RATE);
const RATE_LIMIT: AllOptions<RateLimitOptions> = {
  shared: booleanOption,
  key: byEnvironment(rateOption),
  account: byEnvironment(rateOption),
  publishableKey: rateOption,
  failedCredentials: rateOption,
  admin: rateOption,
  platform: rateOption,
  page: rateOption,
  dashboard: rateOption,
};
/** The largest answer must be possible for each caller, and so for admins, who have half of a process. */
const bytesOfCaller = integerOption(MAX_ANSWER_BYTES, Number.MAX_SAFE_INTEGER);
const BYTES_IN_FLIGHT: AllOptions<BytesInFlightLimits> = {
  perCaller: bytesOfCaller,
  perAccount: bytesOfCaller,
  perProcess: integerOption(2 * MAX_ANSWER_BYTES, Number.MAX_SAFE_INTEGER),
};
const FAULTS: AllOptions<FaultShares> = {
  timeout_approved: shareOption,
  timeout_declined: shareOption,
  unknown_forever: shareOption,
  not_sent: shareOption,
  amount_tampered: shareOption,
};
const SANDBOX: AllOptions<NonNullable<PaymountOptions['sandbox']>> = {
  latencyMs: integerOption(0, MAX_WAIT_MS),
  faults: objectOption(FAULTS),
  seed: numberOption,
  calendarTimes: booleanOption,
  silenceMs: integerOption(0, MAX_WAIT_MS),
  settlementLines: booleanOption,
};

const adapterOption = having(
  'a processor',
  'tokenize',
  'authorize',
  'capture',
  'cancel',
  'refund',
  'lookup',
);
const processorOption: OptionRule = {
  must: `${adapterOption.must}, and \`payout\` if it has the capability \`payouts\``,
  accepts: (value) =>
    adapterOption.accepts(value) &&
    (readMember(readMember(value, 'capabilities'), 'payouts') !== true ||
      typeof readMember(value, 'payout') === 'function'),
};

const CREATE: AllOptions<PaymountOptions> = {
  ...POSTGRES_OPTIONS,
  storage: ANY_OPTION,
  migrate: booleanOption,
  processors: byEnvironment(processorOption),
  sandbox: objectOption(SANDBOX),
  sealingKeys: either(
    arrayOption(sealingKeyOption, 'a list of `{ kid, key }`'),
    having('a key provider', 'current', 'byKid'),
  ),
  redis: stringOption('an address such as redis://localhost:6379'),
  hook: functionOption('a function `(transaction, settled) => Promise<void>`'),
  fees: functionOption('a function `(charge, amount, account) => ({ amount, details })`'),
  disputeFees: functionOption('a function `(charge, amount, account) => ({ amount, details })`'),
  fileStore: having('a store of files', 'put', 'get', 'delete'),
  refundOverdraft: integerOption(0, Number.MAX_SAFE_INTEGER),
  retention: objectOption(RETENTION),
  egress: objectOption(EGRESS),
  disableOnGone: booleanOption,
  trustedProxies: arrayOption(
    rangeOption,
    "a list of addresses and CIDR ranges such as ['10.0.0.0/8']",
  ),
  tlsVersionHeader: stringOption('the name of a header'),
  rateLimit: either(objectOption(RATE_LIMIT), falseOption),
  bytesInFlight: objectOption(BYTES_IN_FLIGHT),
  issuerTag: stringOption('a text of 2 to 8 letters or digits'),
  safeAfterSeconds: ANY_OPTION,
  mail: objectOption(MAIL),
  mailer: either(having('a mailer', 'send'), falseOption),
  invoices: objectOption(INVOICES),
  leakPolicy: enumOption('revoke', 'notify'),
  leaks: objectOption(LEAKS),
  docUrl: {
    must: 'an `http` or `https` address without a `#`',
    accepts: (value) => typeof value === 'string' && /^https?:\/\/[^\s#]+$/.test(value),
  },
  logger: having('a logger', 'debug', 'info', 'warn', 'error'),
  clock: having('a clock', 'now', 'monotonicMs'),
  crashPoint: functionOption('a function'),
};
const WORKER: AllOptions<WorkerOptions> = { reconcile: booleanOption };

/** The functions with options, by name. */
const TAKERS = {
  'createPaymount()': CREATE,
  ...ROUTER_TAKERS,
  'startWorker()': WORKER,
} as const satisfies Record<string, KnownOptions>;

/**
 * Refuses unknown options and wrong values.
 * @param source the file with the options, which the message names instead of the function
 * @throws TypeError naming the option, and the probable name or the accepted values
 */
export function assertKnownOptions(
  taker: keyof typeof TAKERS,
  options: unknown,
  source: string = taker,
): void {
  assertOptions(source, TAKERS[taker], options);
}

function isText(value: unknown, name: string): boolean {
  return typeof readMember(value, name) === 'string';
}

/** @returns undefined for a value without members */
function readMember(value: unknown, name: string): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? Reflect.get(value, name) : undefined;
}
