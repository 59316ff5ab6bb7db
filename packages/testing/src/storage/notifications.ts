import assert from 'node:assert/strict';
import type { DeliveryNotifier } from '@paymount/core/events';
import { type DeliveryId, newId, withTimeout } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';
import type { StorageCases, StorageSetup } from './setup.ts';

/** Notifications arrive within milliseconds; the limit is for slow machines. */
const NEWS_LIMIT_MS = 10_000;
const ANNOUNCE_EVERY_MS = 100;

/** Notifications of changes of access. */
export const accessChangeCases: StorageCases = {
  'notifies every process that has the store open of each change of access': async (setup) => {
    const { accessChangeNotifier } = setup.open();
    assert.ok(
      accessChangeNotifier,
      'Stores have an `accessChangeNotifier`, or the adapter lacks access-change-notifications.',
    );
    const news = heard();
    const stop = accessChangeNotifier.listen(news.tell);
    // The first notification may only mean that it listens from now on.
    for (let times = 0; times < 2; times += 1) {
      const told = news.next();
      await changeAccess(setup);
      await withTimeout(told, NEWS_LIMIT_MS);
    }
    await stop();
  },
};

/** Notifications of committed first attempts. */
export const deliveryNotificationCases: StorageCases = {
  'notifies every process that listens of the deliveries that any process announces': async (
    setup,
  ) => {
    const listeners = [listening(setup.open()), listening(setup.open())];
    for (const announcing of [setup, setup.open()]) {
      const ids = [newId('dlv'), newId('dlv')];
      await announced(notifierOf(announcing), ids, listeners);
    }
    await Promise.all(listeners.map(({ stop }) => stop()));
  },
  'notifies of 1,000 deliveries that are announced at once': async (setup) => {
    const listener = listening(setup.open());
    const ids = Array.from({ length: 1_000 }, () => newId('dlv'));
    await announced(notifierOf(setup), ids, [listener]);
    await listener.stop();
  },
  'notifies nobody who has stopped listening': async (setup) => {
    const store = setup.open();
    const [stopped, listener] = [listening(store), listening(store)];
    const [before, after] = [newId('dlv'), newId('dlv')];
    await announced(notifierOf(setup), [before], [stopped, listener]);
    await stopped.stop();
    await announced(notifierOf(setup), [after], [listener]);
    assert.ok(!stopped.heard.has(after));
    await listener.stop();
  },
  'does not throw if deliveries are announced after it was closed': async (setup) => {
    const store = setup.open();
    const notifier = notifierOf(store);
    await store.close();
    notifier.announce([newId('dlv')]);
  },
};

interface Listener {
  readonly heard: ReadonlySet<DeliveryId>;
  /** Called after each notification. */
  onNews: () => void;
  stop(): Promise<void>;
}

function notifierOf({ deliveryNotifier }: Stores): DeliveryNotifier {
  assert.ok(
    deliveryNotifier,
    'Stores have a `deliveryNotifier`, or the adapter lacks delivery-notifications.',
  );
  return deliveryNotifier;
}

function listening(stores: Stores): Listener {
  const heard = new Set<DeliveryId>();
  const stop = notifierOf(stores).listen((ids) => {
    for (const id of ids) heard.add(id);
    listener.onNews();
  });
  const listener: Listener = { heard, onNews: () => undefined, stop };
  return listener;
}

/** Announces until all are notified: what is announced before they listen is lost. */
async function announced(
  notifier: DeliveryNotifier,
  ids: readonly DeliveryId[],
  listeners: readonly Listener[],
): Promise<void> {
  const knowAll = (): boolean => listeners.every(({ heard }) => ids.every((id) => heard.has(id)));
  const told = new Promise<void>((resolve) => {
    const onNews = (): void => {
      if (knowAll()) resolve();
    };
    for (const listener of listeners) listener.onNews = onNews;
  });
  notifier.announce(ids);
  const timer = setInterval(() => notifier.announce(ids), ANNOUNCE_EVERY_MS);
  await withTimeout(told, NEWS_LIMIT_MS).finally(() => clearInterval(timer));
}

function heard(): { tell: () => void; next: () => Promise<void> } {
  let resolve: () => void = () => undefined;
  return {
    tell: () => resolve(),
    next: () =>
      new Promise((done) => {
        resolve = done;
      }),
  };
}

async function changeAccess({ access, owner }: StorageSetup): Promise<void> {
  const subjects = [owner.accountId];
  await access.change(async () => ({ result: undefined, subjects, audit: [] }));
}
