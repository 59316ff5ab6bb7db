import type { Dispatch } from '../events/deliveries/dispatch.ts';
import type { CrashPoint } from '../kernel/basics/crash-point.ts';
import type { HookPayload } from './hook-calls.ts';
import type { Stores } from './stores.ts';

/**
 * Features that the conformance suite tests and that an adapter may lack:
 * - `processes`: several processes work on one database at once
 * - `parallel-transactions`: two transactions are open at once, and one waits for the other's rows
 * - `access-change-notifications`: other processes with the same database are notified of a change of access
 * - `delivery-notifications`: other processes with the same database are notified of first attempts
 * - `host-transactions`: `using` joins a transaction of the host
 */
export const STORAGE_CAPABILITIES = [
  'processes',
  'parallel-transactions',
  'access-change-notifications',
  'delivery-notifications',
  'host-transactions',
] as const;

export type StorageCapability = (typeof STORAGE_CAPABILITIES)[number];

/** The arguments with which an adapter is opened. */
export interface StoragePorts {
  /** Called around each commit of deliveries; a `DispatchHub` if the engine is added later. */
  readonly dispatch: Dispatch;
  /** How far business time is ahead of the store's own time: 0 except with a fake clock. */
  readonly clock: { readonly shiftMs: number };
  /** Called after each change of access that this process made. */
  readonly onAccessChange: () => void;
  /**
   * The host's writes that commit with each result, or not at all: called in the transaction of a
   * change for which `hookCallsOf` names a call, with a transaction of the adapter's kind. A failure is thrown as a
   * `HookError` with its cause, and rolls the change back. @defaultValue none
   */
  hook?(transaction: unknown, settled: HookPayload): Promise<unknown>;
  /** Named places in which tests end the process. @defaultValue does nothing */
  readonly crashPoint?: CrashPoint;
}

/** A place for all stored data, for the option `storage` of `createPaymount`. */
export interface StorageAdapter {
  /**
   * The name of the installation in shared services such as Redis: letters, digits and `_`. It must
   * not change between restarts, and must be the same in all processes.
   */
  readonly namespace: string;
  /** Features that it lacks. @defaultValue none: it supports all */
  readonly lacks?: readonly StorageCapability[];
  /**
   * Migrates the stored data to this version. Several callers at once wait for each other.
   * @returns names of the steps that this call applied, in order
   * @throws SchemaError if the stored data do not allow it
   */
  migrate(): Promise<readonly string[]>;
  /** Opens it. No connection needs to be made before the first call; the opener closes it. */
  open(ports: StoragePorts): Stores;
}
