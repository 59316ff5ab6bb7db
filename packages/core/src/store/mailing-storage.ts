import type { CustomerMailSettings } from '../billing/customer-mails/customer-mail-settings.ts';
import { type MailingHow, mailingChanges, plansReminders } from '../billing/mails-of-change.ts';
import type { Logger } from '../kernel/basics/logger.ts';
import type { Repositories, Storage } from './storage.ts';
import type { Stores } from './stores.ts';

/** The same data, with `mailingStorage` in place of each storage. */
export function mailingStores(
  stores: Stores,
  settings: CustomerMailSettings,
  logger: Logger,
): Stores {
  if (!sendsAny(settings)) return stores;
  const how = { settings, logger };
  return {
    ...stores,
    storage: mailingStorage(stores.storage, how),
    using: (transaction) => mailingStorage(stores.using(transaction), how),
  };
}

/** The same storage, which writes to customers about what its changes do, in the transactions of these changes. */
function mailingStorage(storage: Storage, how: MailingHow): Storage {
  const { settings } = how;
  return {
    transaction: (work, waits) =>
      storage.transaction((rows) => work({ ...rows, changes: mailingIn(rows, how) }), waits),
    read: storage.read,
    changes: {
      // Reminders are planned in the transaction of the change, which must be one then.
      apply: (change) =>
        plansReminders(change, settings)
          ? storage.transaction((rows) => mailingIn(rows, how).apply(change))
          : mailingChanges(storage.changes, storage.read, how).apply(change),
    },
    idempotency: storage.idempotency,
    operations: storage.operations,
    ...(storage.host && { host: storage.host }),
  };
}

function mailingIn(rows: Repositories, how: MailingHow): Repositories['changes'] {
  const plan = rows.reminders.plan.bind(rows.reminders);
  return mailingChanges(rows.changes, rows, { ...how, plan });
}

function sendsAny({ sends }: CustomerMailSettings): boolean {
  return Object.values(sends).some(Boolean);
}
