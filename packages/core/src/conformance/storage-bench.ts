import assert from 'node:assert/strict';
import type { AccountDirectory } from '../accounts/account.ts';
import type { AuditReader } from '../audit/audit.ts';
import type { AccessStore } from '../changes/access-change.ts';
import type { Change } from '../changes/change.ts';
import type { Storage } from '../changes/storage.ts';
import type { ClaimedDelivery, Lease } from '../deliveries/delivery.ts';
import type { DeliveryDirectory } from '../deliveries/delivery-directory.ts';
import type { DeliveryStore } from '../deliveries/delivery-store.ts';
import type { Dispatch, DispatchHub, NewDelivery } from '../deliveries/dispatch.ts';
import type { EndpointDirectory } from '../endpoints/endpoint.ts';
import type { EventDirectory } from '../events/event.ts';
import type { CredentialReader, KeyReader } from '../keys/key-store.ts';
import type { KeyUsageStore } from '../keys/key-usage.ts';
import type { LeakReader } from '../leaks/leak-repository.ts';
import type { MailStore } from '../mails/mail.ts';
import type { OperationDirectory } from '../operations/operation-directory.ts';
import type { OperationMemory } from '../operations/processor.ts';
import type { ReplayDirectory, ReplayQueue } from '../replays/replay-store.ts';
import type { Environment, Owner } from '../shared/environment.ts';
import { type DeliveryId, newId } from '../shared/id.ts';
import { sampleAccount } from './access-samples.ts';
import { AT } from './storage-samples.ts';

/** Simultaneous callers of each verb that names a race. */
export const RACERS = 50;

/** An adapter of the storage ports, on an empty store that cases share. */
export interface StorageUnderTest {
  readonly storage: Storage;
  readonly deliveries: DeliveryStore;
  readonly replays: ReplayQueue;
  readonly credentials: CredentialReader;
  readonly access: AccessStore;
  readonly directory: {
    readonly accounts: AccountDirectory;
    readonly keys: KeyReader;
    readonly leaks: LeakReader;
    readonly endpoints: EndpointDirectory;
    readonly deliveries: DeliveryDirectory;
    readonly events: EventDirectory;
    readonly replays: ReplayDirectory;
    readonly operations: OperationDirectory;
    readonly audit: AuditReader;
  };
  readonly usage: KeyUsageStore;
  readonly mails: MailStore;
  readonly operationMemory: OperationMemory;
  /** The one that the adapter was given as its `Dispatch`. */
  readonly hub: DispatchHub;
}

/** What one case works with: the adapter, and an account that nobody else uses. */
export interface StorageBench extends StorageUnderTest {
  readonly owner: Owner;
  /** Another account in the same environment, and the same account in the other one. */
  readonly strangers: readonly Owner[];
  apply(
    change: Omit<Change, keyof Owner | 'at'> & Partial<Pick<Change, 'at'>>,
  ): ReturnType<Storage['changes']['apply']>;
}

/** Makes accounts for one case. */
export async function openStorageBench(under: StorageUnderTest): Promise<StorageBench> {
  const owner = await newOwner(under, 'test');
  const other = await newOwner(under, 'test');
  return {
    ...under,
    owner,
    strangers: [other, { ...owner, environment: 'live' }],
    apply: (change) => under.storage.changes.apply({ ...owner, at: AT, ...change }),
  };
}

async function newOwner({ access }: StorageUnderTest, environment: Environment): Promise<Owner> {
  const account = sampleAccount();
  await access.change(async ({ accounts }) => {
    await accounts.insert(account);
    return { result: undefined, subjects: [account.id], audit: [] };
  });
  return { accountId: account.id, environment };
}

/** Runs `work` for many callers at once. @returns what each got, in no order */
export function race<Result>(work: (caller: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: RACERS }, (_, caller) => work(caller)));
}

/** Of the answers of a race, this many are equal to `value`. */
export function expectCount<Value>(answers: readonly Value[], value: Value, count: number): void {
  assert.equal(answers.filter((answer) => answer === value).length, count);
}

/** Fails unless `work` is refused, with a code of the error table when one is named. */
export async function expectRefused(work: () => Promise<unknown>, code?: string): Promise<void> {
  await assert.rejects(
    work,
    (error) =>
      code === undefined || (error instanceof Error && 'code' in error && error.code === code),
  );
}

/** A delivery engine that only writes down what it is told. */
export class RecordingDispatch implements Dispatch {
  readonly sent: ClaimedDelivery[] = [];
  readonly givenBack: NewDelivery[] = [];
  readonly announced: DeliveryId[] = [];
  readonly #slots: number;
  #reserved = 0;

  /** @param slots how many deliveries it takes */
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
