import type { AccessStore } from '../access/access-change.ts';
import type { AccountDirectory } from '../access/accounts/account.ts';
import type {
  AccessChangeNotifier,
  CredentialReader,
  KeyReader,
} from '../access/keys/key-store.ts';
import type { KeyUsageStore } from '../access/keys/key-usage.ts';
import type { LeakReader } from '../access/leaks/leak-repository.ts';
import type { AuditReader } from '../changes/audit/audit.ts';
import type { EventDirectory } from '../changes/events/event.ts';
import type { MailStore } from '../changes/mails/mail.ts';
import type { DeliveryDirectory } from '../events/deliveries/delivery-directory.ts';
import type { DeliveryStore } from '../events/deliveries/delivery-store.ts';
import type { EndpointDirectory, EndpointSecretReader } from '../events/endpoints/endpoint.ts';
import type { ReplayDirectory, ReplayQueue } from '../events/replays/replay-store.ts';
import type { SealedRows } from '../kernel/secrets/sealed-rows.ts';
import type { Difference, VerifyOptions } from '../ledger/difference.ts';
import type { OperationDirectory } from '../payments/operations/operation-directory.ts';
import type { OperationMemory } from '../payments/operations/processor.ts';
import type { Storage } from './storage.ts';

/** What admins look through, across accounts. */
export interface Directory {
  readonly accounts: AccountDirectory;
  readonly keys: KeyReader;
  readonly leaks: LeakReader;
  readonly endpointSecrets: EndpointSecretReader;
  readonly endpoints: EndpointDirectory;
  readonly deliveries: DeliveryDirectory;
  readonly events: EventDirectory;
  readonly replays: ReplayDirectory;
  readonly operations: OperationDirectory;
  readonly audit: AuditReader;
}

/**
 * Whether a hook is in use in the installation. While it is, a process that was opened without one
 * records no result: a change with `settled` throws a `HookError` that `isMissing`, and `claimDue`
 * leaves operations whose outcome is known to others.
 */
export interface HookUse {
  /** Says that one is, from now on. Twice is harmless. @returns whether none was before */
  begin(): Promise<boolean>;
  /** Since when, by the store's own time; undefined: none is. */
  since(): Promise<Date | undefined>;
  /** Says that none is any more. @returns whether one was */
  end(): Promise<boolean>;
}

/** Everything that one installation keeps, as an adapter of storage opens it. */
export interface Stores {
  /** Payments, and what belongs to them. */
  readonly storage: Storage;
  /**
   * The same, joined to a transaction that the host commits or rolls back. Calls at once run one
   * after the other, and each that is refused is undone by itself.
   * @throws TypeError for what is no transaction of the adapter's kind
   */
  using(transaction: unknown): Storage;
  /** Claims deliveries for this process, and closes attempts. */
  readonly deliveries: DeliveryStore;
  /** Replays that workers advance. */
  readonly replays: ReplayQueue;
  /** What the guard asks, on connections of its own. */
  readonly credentials: CredentialReader;
  /** Hears of changes of access in any process; absent where nothing can be heard. */
  readonly accessChangeNotifier?: AccessChangeNotifier;
  /** The one way to change who may do what. */
  readonly access: AccessStore;
  /** What admins look through, across accounts. */
  readonly directory: Directory;
  /** What keys were used for. */
  readonly usage: KeyUsageStore;
  /** E-mails that wait to be sent. */
  readonly mails: MailStore;
  /** Whether results go through a hook of the host's; known to all processes. */
  readonly hookUse: HookUse;
  /** What the test-mode processor remembers of its operations. */
  readonly operationMemory: OperationMemory;
  /**
   * Holds money, states and events against each other.
   * @returns what does not agree, at most 100 of each rule; empty is good
   */
  verify(options?: VerifyOptions): Promise<readonly Difference[]>;
  /**
   * Sees at boot that this version can work on what is stored.
   * @throws SchemaError when it cannot; the message says what to do
   */
  assertSchema(): Promise<void>;
  /** Dials what key look-ups use: they wait 250 ms at most, and no request shall wait for a dial. */
  warm(): Promise<void>;
  /** What is sealed at rest, to see at boot whether it opens, and to seal it anew. */
  readonly sealed: SealedRows;
  /** Ends the connections that were opened here, never the host's. Twice is harmless. */
  close(): Promise<void>;
}
