import { SecretBox } from '@paymount/auth';
import {
  billingClockWorks,
  billingSubjects,
  billingWorks,
  reminderClockWork,
  remindsCustomers,
} from '@paymount/core/billing';
import { DispatchHub, type RetryQueue } from '@paymount/core/events';
import { noCrashPoint } from '@paymount/core/kernel';
import {
  createClockWorks,
  createNoticeAppliers,
  createSubjectLoaders,
  NoticeInbox,
  NoticeService,
  noticeStorage,
  OperationRunner,
  OperationService,
  operationStorage,
  type PaymentRules,
  paymentSubjects,
  prepareCharge,
  Resolver,
  type RunnerPorts,
} from '@paymount/core/payments';
import { mailingStores, type Stores } from '@paymount/core/store';
import { validateInput } from '@paymount/http';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import { announceThrough, createRetryQueue } from '@paymount/webhooks';
import { createSigningSecret } from 'paymount-receiver/internal';
import { type FeeSchedule, toCoreFees, toStorageHook } from '../options/host-hook.ts';
import { readInvoiceSettings } from '../options/invoice-settings.ts';
import { HookAnnouncement } from './hook-announcement.ts';
import { InvoiceLinks } from './invoice-links.ts';
import { MissingProcessor } from './missing-processor.ts';
import type { Factories, Get, Parts } from './parts.ts';
import { PdfPrinters } from './pdf-printers.ts';
import { bindServices } from './services.ts';
import { FingerprintKey, fingerprintWith } from './stored-secrets.ts';
import { urlValidator } from './url-validator.ts';

const DEFAULT_AUTHORIZATION_DAYS = 7;
const NO_FEES: FeeSchedule = () => ({ amount: 0, details: [] });

/** Storage, processors, and the services that use them. */
export const CORE_PARTS = {
  crashPoint: (get) => get('options').crashPoint ?? noCrashPoint,
  wakeUps: buildRetryQueue,
  dispatch: (get) => newDispatch(get),
  stores: openStores,
  files: (get) => ({
    store: get('options').fileStore ?? get('stores').fileContents,
    uploads: get('stores').fileUploads,
  }),
  hookAnnouncement: (get) =>
    new HookAnnouncement({
      options: get('options'),
      stores: get('stores'),
      logger: get('logger'),
    }),
  processors: buildProcessors,
  rules: (get) => buildRules(get('options'), get('processors')),
  sealer: (get) => new SecretBox(get('ring')),
  fingerprintKey: () => new FingerprintKey(),
  invoiceSettings: (get) => readInvoiceSettings(get('options').invoices),
  invoiceLinks: (get) => new InvoiceLinks(get('invoiceSettings').urls),
  pdfs: () => new PdfPrinters(),
  subjects: (get) => {
    const accounts = { read: get('stores').storage.read, sealer: get('sealer') };
    const rules = get('rules');
    const loaders = createSubjectLoaders(rules, { ...accounts, files: get('files').store });
    return billingSubjects(paymentSubjects(loaders), {
      prepareCharge: (charge) => prepareCharge(charge, rules, accounts),
      addressOf: get('invoiceLinks').addressOf,
    });
  },
  operations: (get) =>
    new OperationService({
      storage: operationStorage(get('stores').storage, get('subjects')),
      clock: get('clock'),
      logger: get('logger'),
    }),
  runner: (get) => new OperationRunner(runnerPorts(get)),
  resolver: (get) => new Resolver(runnerPorts(get), get('runner')),
  noticeInbox: (get) => {
    const { notices: queue } = get('stores');
    const storage = noticeStorage(get('stores').storage, get('subjects'));
    const appliers = createNoticeAppliers(get('rules'));
    const sealer = get('sealer');
    return new NoticeInbox({ ...runnerPorts(get), storage, queue, appliers, sealer });
  },
  billingWorks: (get) => {
    const { storage, billing } = get('stores');
    return billingWorks(billing, {
      storage,
      processors: get('processors'),
      refunds: get('services').refunds,
      logger: get('logger'),
      clock: get('clock'),
      crashPoint: get('crashPoint'),
      prepareInvoiceCharge: get('subjects').prepareInvoiceCharge,
    });
  },
  reminders: (get) => ({
    queue: get('stores').billing.reminders,
    storage: get('stores').storage,
    settings: get('invoiceSettings'),
    clock: get('clock'),
    logger: get('logger'),
  }),
  clockWorks: (get) => [
    ...createClockWorks({
      storage: get('stores').storage,
      processors: get('processors'),
      plannedNotices: get('stores').plannedNotices,
      inbox: get('noticeInbox'),
      runner: get('runner'),
      clock: get('clock'),
      crashPoint: get('crashPoint'),
    }),
    ...billingClockWorks(get('stores').billing, get('billingWorks'), get('runner')),
    ...(remindsCustomers(get('invoiceSettings')) ? [reminderClockWork(get('reminders'))] : []),
  ],
  notices: (get) =>
    new NoticeService({
      storage: noticeStorage(get('stores').storage, get('subjects')),
      inbox: get('noticeInbox'),
      clock: get('clock'),
      logger: get('logger'),
    }),
  servicePorts: (get) => ({
    processors: get('processors'),
    runner: get('runner'),
    clock: get('clock'),
    logger: get('logger'),
    sealer: get('sealer'),
    rules: get('rules'),
    fingerprintNumber: fingerprintWith(get('fingerprintKey')),
    addressOfInvoice: get('invoiceLinks').addressOf,
    customerMails: get('invoiceSettings'),
    files: get('files'),
    refundOverdraft: get('options').refundOverdraft ?? 0,
    validateUrl: urlValidator(get('options').egress),
    createSecret: createSigningSecret,
    validateParameters: validateInput,
    crashPoint: get('crashPoint'),
  }),
  services: (get) => bindServices(get('servicePorts'), get('stores').storage),
} satisfies Partial<Factories>;

function openStores(get: Get): Stores {
  const { hook } = get('options');
  const settings = get('invoiceSettings');
  const stores = get('adapter').open({
    dispatch: get('dispatch'),
    clock: get('clock'),
    onAccessChange: () => get('accessChangeNotifications').announce(),
    crashPoint: get('crashPoint'),
    ...(hook && { hook: toStorageHook(hook, get('invoiceLinks').addressOf) }),
  });
  return mailingStores(stores, settings, get('logger'));
}

function buildProcessors(get: Get): Parts['processors'] {
  const { processors, sandbox } = get('options');
  const memory = get('stores').operationMemory;
  return {
    live: processors?.live ?? new MissingProcessor(),
    test: processors?.test ?? new SandboxProcessor({ ...sandbox, memory, clock: get('clock') }),
  };
}

function buildRules(
  { fees = NO_FEES, disputeFees = NO_FEES }: Pick<Parts['options'], 'fees' | 'disputeFees'>,
  processors: Parts['processors'],
): PaymentRules {
  return {
    fees: toCoreFees(fees),
    disputeFees: toCoreFees(disputeFees),
    authorizationDays: (environment) =>
      processors[environment].capabilities.authorizationDays ?? DEFAULT_AUTHORIZATION_DAYS,
  };
}

function runnerPorts(get: Get): RunnerPorts {
  const operator = get('options').mail?.operator;
  return {
    storage: operationStorage(get('stores').storage, get('subjects')),
    processors: get('processors'),
    clock: get('clock'),
    logger: get('logger'),
    telemetry: get('telemetry'),
    crashPoint: get('crashPoint'),
    ...(operator === undefined ? {} : { operator }),
  };
}

function buildRetryQueue(get: Get): RetryQueue | undefined {
  const redis = get('redis');
  if (redis === undefined) return undefined;
  return createRetryQueue({
    client: redis.producer,
    schema: get('adapter').namespace,
    logger: get('logger'),
    crashPoint: get('crashPoint'),
  });
}

/**
 * While no worker runs in this process, first attempts wake the workers of others: through Redis
 * while it is well, else through the store.
 */
function newDispatch(get: Get): DispatchHub {
  return new DispatchHub(
    announceThrough((ids) => {
      const wakeUps = get('wakeUps');
      if (wakeUps?.healthy()) wakeUps.schedule(ids.map((id) => ({ id, attempt: 1, delayMs: 0 })));
      else get('stores').deliveryNotifier?.announce(ids);
    }),
  );
}
