import type { CustomerMailSettings } from '../billing/customer-mails/customer-mail-settings.ts';
import { mailingChanges } from '../billing/mails-of-change.ts';
import type { Storage } from './storage.ts';
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
      storage.transaction(
        (rows) => work({ ...rows, changes: mailingChanges(rows.changes, rows, settings) }),
        waits,
      ),
    read: storage.read,
    changes: mailingChanges(storage.changes, storage.read, settings),
    idempotency: storage.idempotency,
    operations: storage.operations,
    ...(storage.host && { host: storage.host }),
  };
}

function sendsAny({ sends }: CustomerMailSettings): boolean {
  return Object.values(sends).some(Boolean);
}
