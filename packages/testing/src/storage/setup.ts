import assert from 'node:assert/strict';
import {
  type ClaimedDelivery,
  type Dispatch,
  DispatchHub,
  type Lease,
  type NewDelivery,
} from '@paymount/core/events';
import {
  type DeliveryId,
  type Environment,
  isError,
  newId,
  type Owner,
} from '@paymount/core/kernel';
import type {
  Storage,
  StorageAdapter,
  StoragePorts,
  StoredChange,
  Stores,
} from '@paymount/core/store';
import { sampleAccount } from './access/samples.ts';
import { AT } from './samples.ts';

/** The number of concurrent callers of each method that decides a race. */
export const RACERS = 50;

/** What the caller must provide; cases without it are skipped. */
export interface StorageFixtures {
  /**
   * Runs `work` in a transaction of the host, of the kind that `using` takes: commits it when
   * `work` resolves, rolls it back and rejects when it rejects.
   * @defaultValue none
   */
  hostTransaction?(work: (transaction: unknown) => Promise<void>): Promise<unknown>;
}

/** The environment of one case: the opened store, and an account that no other case uses. */
export interface StorageSetup extends Stores {
  readonly adapter: StorageAdapter;
  readonly fixtures: StorageFixtures;
  /** The value that was passed as `dispatch`. */
  readonly hub: DispatchHub;
  readonly owner: Owner;
  /** Another account in the same environment, and the same account in the other one. */
  readonly strangers: readonly Owner[];
  apply(
    change: Omit<StoredChange, keyof Owner | 'at'> & Partial<Pick<StoredChange, 'at'>>,
  ): ReturnType<Storage['changes']['apply']>;
  /** Opens the store again, like another process; it is closed with the setup. */
  open(ports?: Partial<StoragePorts>): Stores;
}

/** Cases by their names. */
export type StorageCases = Readonly<Record<string, (setup: StorageSetup) => Promise<void>>>;

/** Opens the adapter for one case, creates its accounts, and always closes it after the case. */
export async function onStorageSetup(
  adapter: StorageAdapter,
  fixtures: StorageFixtures,
  test: (setup: StorageSetup) => Promise<void>,
): Promise<void> {
  const hub = new DispatchHub();
  const opened: Stores[] = [];
  const open = (ports: Partial<StoragePorts> = {}): Stores => {
    const clock = { shiftMs: 0 };
    const stores = adapter.open({
      dispatch: hub,
      clock,
      onAccessChange: () => undefined,
      ...ports,
    });
    opened.push(stores);
    return stores;
  };
  try {
    const stores = open();
    const owner = await newOwner(stores, 'test');
    const other = await newOwner(stores, 'test');
    await test({
      ...stores,
      adapter,
      fixtures,
      hub,
      owner,
      open,
      strangers: [other, { ...owner, environment: 'live' }],
      apply: (change) => stores.storage.changes.apply({ ...owner, at: AT, ...change }),
    });
  } finally {
    await Promise.all(opened.map((each) => each.close()));
  }
}

async function newOwner({ access }: Stores, environment: Environment): Promise<Owner> {
  const account = sampleAccount();
  await access.change(async ({ accounts }) => {
    await accounts.insert(account);
    return { result: undefined, subjects: [account.id], audit: [] };
  });
  return { accountId: account.id, environment };
}

/** Runs `work` for many concurrent callers. @returns the result of each, in no order */
export function race<Result>(work: (caller: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: RACERS }, (_, caller) => work(caller)));
}

/** Expects this many results of a race to equal `value`. */
export function expectCount<Value>(answers: readonly Value[], value: Value, count: number): void {
  assert.equal(answers.filter((answer) => answer === value).length, count);
}

/** Fails unless `work` rejects; if a code of the error table is given, with this code. */
export async function expectRefused(work: () => Promise<unknown>, code?: string): Promise<void> {
  await assert.rejects(
    work,
    (error) => code === undefined || (isError(error) && 'code' in error && error.code === code),
  );
}

/** A delivery engine that only records its calls. */
export class RecordingDispatch implements Dispatch {
  readonly sent: ClaimedDelivery[] = [];
  readonly givenBack: NewDelivery[] = [];
  readonly announced: DeliveryId[] = [];
  readonly #slots: number;
  #reserved = 0;

  /** @param slots how many deliveries it accepts */
  constructor(slots: number) {
    this.#slots = slots;
  }

  reserve(): Lease | undefined {
    if (this.#reserved === this.#slots) return undefined;
    this.#reserved += 1;
    return { token: newId('req'), lengthMs: 25_000 };
  }

  committed(deliveries: readonly ClaimedDelivery[]): void {
    this.sent.push(...deliveries);
  }

  released(deliveries: readonly NewDelivery[]): void {
    this.givenBack.push(...deliveries);
  }

  announce(ids: readonly DeliveryId[]): void {
    this.announced.push(...ids);
  }
}
