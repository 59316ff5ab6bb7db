import type { ConnectionQueue } from './connection-queue.ts';
import type { HookTransaction } from './hook-transaction.ts';
import type { Wire } from './wire.ts';

/** What a joined transaction must know of the library in whose hands it is. */
export interface HostSide {
  /** It is the transaction that a hook was given, or one inside it. */
  readonly isHook: boolean;
  /** False of one inside another, which may be undone though the other commits. */
  readonly isOutermost: boolean;
  /** False once this side knows of the end; the server is asked besides. */
  readonly isOpen: boolean;
  /** How statements get there, and the queue of all calls on the same connection. */
  connect(): Promise<HostConnection>;
  /** Hears in which transaction a savepoint of ours has just begun, where the end may be missed. */
  meet?(xid: string): void;
  /** Runs the host's code in a savepoint. */
  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void>;
  /** Tells once when the outermost transaction has ended. Absent where nobody can tell. */
  readonly onEnd?: (told: () => void) => void;
}

export interface HostConnection {
  readonly wire: Wire;
  readonly turns: ConnectionQueue;
}
