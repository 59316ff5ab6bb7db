import type { Dispatch } from '../events/deliveries/dispatch.ts';
import type { HookPayload } from '../payments/hook-payload.ts';
import type { Stores } from './stores.ts';

/**
 * What the suite asks of an adapter, and an adapter may lack by nature:
 * - `processes`: several processes work on one database at once
 * - `parallel-transactions`: two transactions are open at once, and one waits for the other's rows
 * - `access-change-notifications`: a change of access reaches every other process that has the database open
 * - `host-transactions`: `using` joins a transaction of the host's
 */
export const STORAGE_CAPABILITIES = [
  'processes',
  'parallel-transactions',
  'access-change-notifications',
  'host-transactions',
] as const;

export type StorageCapability = (typeof STORAGE_CAPABILITIES)[number];

/** What an adapter is given when it is opened. */
export interface StoragePorts {
  /** Told around each commit of deliveries; a `DispatchHub` when the engine comes later. */
  readonly dispatch: Dispatch;
  /** How far business time runs ahead of the store's own: 0 but under a fake clock. */
  readonly clock: { readonly shiftMs: number };
  /** Told after each change of access that this process made. */
  readonly onAccessChange: () => void;
  /**
   * The host's writes that commit with each result, or not at all: called in the transaction of a
   * change that has `settled`, with a transaction of the adapter's kind. A failure is thrown as a
   * `HookError` with its cause, and rolls the change back. @defaultValue none
   */
  hook?(transaction: unknown, settled: HookPayload): Promise<void>;
}

/** A place to keep everything, for the option `storage` of `createPaymount`. */
export interface StorageAdapter {
  /**
   * Names the installation in what it shares with others, such as Redis: letters, digits and `_`.
   * It must not change between restarts, and must be the same in all processes.
   */
  readonly namespace: string;
  /** What it cannot do by nature. @defaultValue nothing: it can do all */
  readonly lacks?: readonly StorageCapability[];
  /**
   * Makes what is stored fit this version. Several callers at once wait for each other.
   * @returns names of the steps that this call applied, in order
   * @throws SchemaError when what is stored does not allow it
   */
  migrate(): Promise<readonly string[]>;
  /** Opens it. Nothing needs to be dialed before the first call; the opener closes it. */
  open(ports: StoragePorts): Stores;
}
