import type { Dispatch } from '@paymount/core/events';
import { type CrashPoint, noCrashPoint } from '@paymount/core/kernel';
import type { Directories, Readers, Repositories, Storage, Stores } from '@paymount/core/store';
import { accessChangeNotifier, accessStorage } from './access/access-storage.ts';
import { accountDirectory, accountRows } from './accounts/account-rows.ts';
import { auditDirectory } from './audit/audit-directory.ts';
import { bankAccountDirectory } from './bank-accounts/bank-account-directory.ts';
import { unannouncedDestinationQueue } from './bank-accounts/unannounced-rows.ts';
import { dueRows } from './billing/due-rows.ts';
import { billingExpunges } from './billing/expunge-billing.ts';
import { changeRows } from './changes/change-rows.ts';
import type { ChangePorts, HostHook } from './changes/execute-change.ts';
import { SharedCommits } from './changes/shared-commits.ts';
import { assertOwnConnections } from './connection/assert-server.ts';
import {
  type DatabaseOptions,
  openDatabase,
  openLookUpDatabase,
} from './connection/open-database.ts';
import { KnownEndpoints } from './deliveries/account-endpoints.ts';
import { deliveryNotifier } from './deliveries/delivery-notifier.ts';
import { deliveryDirectory, deliveryReader } from './deliveries/delivery-readers.ts';
import { deliveryRows } from './deliveries/delivery-rows.ts';
import { disputeDirectory } from './disputes/dispute-directory.ts';
import { endedAccessQueue } from './endpoints/ended-access-rows.ts';
import { endpointDirectory } from './endpoints/endpoint-directory.ts';
import { endpointRows } from './endpoints/endpoint-rows.ts';
import { endpointSecretReader } from './endpoints/endpoint-secret-rows.ts';
import { eventDirectory } from './events/event-directory.ts';
import { eventRows } from './events/event-rows.ts';
import { purgeEvents } from './events/purge-events.ts';
import { exportQueue } from './exports/export-rows.ts';
import { expungeDirectory, expungeRepository } from './expunges/expunge-rows.ts';
import { expungeQueue } from './expunges/expunge-steps.ts';
import { fileStores } from './files/file-contents.ts';
import { hookUseRows } from './hook-use/hook-use-rows.ts';
import type { HostTransaction } from './host-transaction/host-transaction.ts';
import { JoinedTransaction } from './host-transaction/joined-transaction.ts';
import { recognizeHandle } from './host-transaction/recognize-handle.ts';
import { idempotencyRows } from './idempotency/idempotency-rows.ts';
import { invoiceDirectory } from './invoices/invoice-directory.ts';
import { invoiceHook } from './invoices/invoice-hook.ts';
import { missedResults } from './invoices/missed-results.ts';
import { credentialReader } from './keys/credential-reader.ts';
import { keyDirectory } from './keys/key-rows.ts';
import { keyUsageRows } from './keys/key-usage-rows.ts';
import { leakDirectory } from './leaks/leak-rows.ts';
import { ledgerRows } from './ledger/ledger-rows.ts';
import { mailRows } from './mails/mail-rows.ts';
import { noticeDirectory } from './notices/notice-directory.ts';
import { noticeQueue, noticeRows } from './notices/notice-rows.ts';
import { connectedApplicationReader } from './oauth/connected-rows.ts';
import { grantDirectory } from './oauth/grant-rows.ts';
import { openInteractionRepository } from './oauth/interaction-rows.ts';
import { platformDirectory } from './oauth/platform-rows.ts';
import { oauthTokenQueue } from './oauth/purge-tokens.ts';
import { tokenReader } from './oauth/token-rows.ts';
import { operationDirectory } from './operations/operation-directory.ts';
import { operationMemoryRows } from './operations/operation-memory-rows.ts';
import { operationRows } from './operations/operation-rows.ts';
import { plannedNoticeQueue } from './operations/planned-notice-rows.ts';
import { paymentMethodQueue } from './payment-methods/erase-methods.ts';
import { tokenQueue } from './payment-methods/erase-tokens.ts';
import { paymentReaders, paymentRepositories } from './payments/payment-rows.ts';
import { reminderQueue, reminderRows } from './reminders/reminder-rows.ts';
import { replayDirectory, replayReader } from './replays/replay-readers.ts';
import { replayRepository } from './replays/replay-rows.ts';
import { replayQueue } from './replays/replay-steps.ts';
import { assertSchema } from './schema/migrate.ts';
import { sealedRows } from './secrets/sealed-rows.ts';
import { settlementDirectory } from './settlements/settlement-directory.ts';
import { settlementRows } from './settlements/settlement-rows.ts';
import { stateReader } from './state/state-rows.ts';
import { subscriptionDirectory } from './subscriptions/subscription-directory.ts';
import { testClockQueue } from './test-clocks/test-clock-queue.ts';
import { testClockDirectory } from './test-clocks/test-clock-rows.ts';
import { Session } from './transaction/session.ts';
import { inTransaction } from './transaction/transaction.ts';
import { verifyData } from './verification/verify-data.ts';

export interface OpenPostgresOptions extends DatabaseOptions {
  /**
   * Makes first attempts in this process; a `DispatchHub` if the delivery engine is started later.
   */
  readonly dispatch: Dispatch;
  /** The host's SQL, which commits with each result or not at all. */
  readonly hook?: HostHook;
  /** A connection string for key look-ups that bypasses a pooler. @defaultValue as `connection` */
  readonly directUrl?: string;
  /** Called after each change of access that this process made. @defaultValue nothing */
  readonly onAccessChange?: () => void;
  /**
   * For the due times of deliveries and look-ups with a fake clock.
   * @defaultValue the database's time
   */
  readonly clock?: { readonly shiftMs: number };
  /** Where tests end the process. @defaultValue does nothing */
  readonly crashPoint?: CrashPoint;
}

/** All storage ports on PostgreSQL. */
export interface PostgresStorage extends Stores {
  /** @throws TypeError for anything but an open transaction */
  using(transaction: HostTransaction): Storage;
}

/** Creates the storage ports on PostgreSQL; it connects on the first call. */
export function createPostgresStorage(options: OpenPostgresOptions): PostgresStorage {
  const database = openDatabase(options);
  const lookUps = openLookUpDatabase(options);
  const session = new Session(database);
  const ports: ChangePorts = {
    dispatch: options.dispatch,
    clock: options.clock ?? { shiftMs: 0 },
    knownLedgers: new Set(),
    knownEndpoints: new KnownEndpoints(),
    sharedCommits: new SharedCommits(),
    crashPoint: options.crashPoint ?? noCrashPoint,
    ...(options.hook && { hook: options.hook }),
  };
  return {
    storage: storageOn(session, ports),
    using: (transaction) => joinedStorage(session, ports, transaction),
    deliveries: deliveryRows(session, ports),
    exports: exportQueue(session, ports.crashPoint),
    events: { purge: (walk) => purgeEvents(session, walk) },
    replays: replayQueue(session, ports.clock),
    expunges: expungeQueue(session, ports.clock),
    credentials: credentialReader(new Session(lookUps), lookUps.watch),
    ...(lookUps.watch.isListening && {
      accessChangeNotifier: accessChangeNotifier(lookUps.watch),
      deliveryNotifier: deliveryNotifier(session, lookUps.watch),
    }),
    access: accessStorage(session, options.onAccessChange ?? (() => undefined)),
    endedAccess: endedAccessQueue(session, ports),
    unannounced: unannouncedDestinationQueue(session, ports),
    directory: {
      accounts: accountDirectory(session),
      keys: keyDirectory(session),
      leaks: leakDirectory(session),
      ...oauthDirectories(session),
      endpointSecrets: endpointSecretReader(session),
      endpoints: endpointDirectory(session),
      deliveries: deliveryDirectory(session, ports.clock),
      events: eventDirectory(session),
      replays: replayDirectory(session),
      expunges: expungeDirectory(session),
      ...processorDirectories(session, ports),
      audit: auditDirectory(session),
    },
    interactions: openInteractionRepository(session),
    oauthTokens: { ...tokenReader(session), ...oauthTokenQueue(session) },
    paymentMethods: paymentMethodQueue(session),
    tokens: tokenQueue(session),
    usage: keyUsageRows(session),
    mails: mailRows(session),
    hookUse: hookUseRows(session),
    state: stateReader(session),
    ...processorStores(session, ports),
    ...fileStores(session),
    verify: (how) => verifyData(session, how, ports.clock),
    async assertSchema() {
      await assertSchema(session);
      if (options.preparedStatements !== false) await assertOwnConnections(session);
    },
    async warm() {
      await lookUps.warm();
      if (lookUps.isDirect) await assertOwnConnections(lookUps);
    },
    sealed: sealedRows(session),
    async close() {
      await Promise.all([database.close(), lookUps.close()]);
    },
  };
}

function joinedStorage(
  session: Session,
  ports: ChangePorts,
  transaction: HostTransaction,
): Storage {
  const handle = recognizeHandle(transaction, session);
  const { isHook, onEnd } = handle;
  const joined = new Session(session, { open: new JoinedTransaction(session, handle) });
  return {
    ...storageOn(joined, ports),
    host: { isHook, ...(onEnd && { onSettled: (then) => onEnd(() => void then()) }) },
  };
}

function processorStores(
  session: Session,
  { clock, hook }: ChangePorts,
): Pick<Stores, 'notices' | 'operationMemory' | 'plannedNotices' | 'testClocks' | 'billing'> {
  const expunges = billingExpunges(session);
  return {
    notices: noticeQueue(session, clock, hook),
    operationMemory: operationMemoryRows(session),
    plannedNotices: plannedNoticeQueue(session),
    testClocks: testClockQueue(session, clock, hook),
    billing: {
      reminders: reminderQueue(session),
      subscriptions: { ...dueRows(session, 'subscriptions'), ...expunges.subscriptions },
      invoices: {
        ...dueRows(session, 'invoices'),
        ...expunges.invoices,
        findMissed: (limit, after) => missedResults(session, limit, after),
      },
    },
  };
}

function processorDirectories(
  session: Session,
  { clock }: ChangePorts,
): Pick<
  Directories,
  | 'bankAccounts'
  | 'disputes'
  | 'operations'
  | 'notices'
  | 'settlementDifferences'
  | 'testClocks'
  | 'subscriptions'
  | 'invoices'
> {
  return {
    bankAccounts: bankAccountDirectory(session),
    disputes: disputeDirectory(session),
    operations: operationDirectory(session, clock),
    notices: noticeDirectory(session, clock),
    settlementDifferences: settlementDirectory(session),
    testClocks: testClockDirectory(session, clock),
    subscriptions: subscriptionDirectory(session),
    invoices: invoiceDirectory(session),
  };
}

function oauthDirectories(session: Session) {
  return {
    platforms: platformDirectory(session),
    grants: grantDirectory(session),
    connectedApplications: connectedApplicationReader(session),
  };
}

function storageOn(session: Session, ports: ChangePorts): Storage {
  return {
    transaction: (work, waits) =>
      inTransaction(session, (inner) => work(repositoriesOn(inner, ports)), waits),
    read: readersOn(session, ports),
    changes: changeRows(session, ports),
    operations: operationRows(session, ports),
    idempotency: idempotencyRows(session),
  };
}

function readersOn(session: Session, { knownLedgers, clock }: ChangePorts): Readers {
  return {
    accounts: accountRows(session),
    ...paymentReaders(session),
    events: eventRows(session),
    endpoints: endpointRows(session),
    deliveries: deliveryReader(session, clock),
    replays: replayReader(session),
    ledger: ledgerRows(session, knownLedgers),
  };
}

function repositoriesOn(session: Session, ports: ChangePorts): Repositories {
  return {
    ...paymentRepositories(session),
    endpoints: endpointRows(session),
    operations: operationRows(session, ports),
    notices: noticeRows(session, ports.clock),
    settlements: settlementRows(session),
    reminders: reminderRows(session),
    replays: replayRepository(session, ports.clock),
    expunges: expungeRepository(session),
    ledger: ledgerRows(session, ports.knownLedgers),
    changes: changeRows(session, ports),
    hookOfInvoices: invoiceHook(session, ports.hook),
  };
}
