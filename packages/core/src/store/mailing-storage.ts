import type { CustomerMailSettings } from '../billing/customer-mails/customer-mail-settings.ts';
import { mailingChanges, plansReminders } from '../billing/mails-of-change.ts';
import type { Repositories, Storage } from './storage.ts';
import type { Stores } from './stores.ts';

/** The same data, with `mailingStorage` in place of each storage. */
export function mailingStores(stores: Stores, settings: CustomerMailSettings): Stores {
  if (!sendsAny(settings)) return stores;
  return {
    ...stores,
    storage: mailingStorage(stores.storage, settings),
    using: (transaction) => mailingStorage(stores.using(transaction), settings),
  };
}

/** The same storage, which writes to customers about what its changes do, in the transactions of these changes. */
function mailingStorage(storage: Storage, settings: CustomerMailSettings): Storage {
  return {
    transaction: (work, waits) =>
      storage.transaction((rows) => work({ ...rows, changes: mailingIn(rows, settings) }), waits),
    read: storage.read,
    changes: {
      // Reminders are planned in the transaction of the change, which must be one then.
      apply: (change) =>
        plansReminders(change, settings)
          ? storage.transaction((rows) => mailingIn(rows, settings).apply(change))
          : mailingChanges(storage.changes, storage.read, { settings }).apply(change),
    },
    idempotency: storage.idempotency,
    operations: storage.operations,
    ...(storage.host && { host: storage.host }),
  };
}

function mailingIn(rows: Repositories, settings: CustomerMailSettings): Repositories['changes'] {
  const plan = rows.reminders.plan.bind(rows.reminders);
  return mailingChanges(rows.changes, rows, { settings, plan });
}

function sendsAny({ sends }: CustomerMailSettings): boolean {
  return Object.values(sends).some(Boolean);
}
