import type { StatementSender } from '../connection/statement-sender.ts';
import type { ConnectionQueue } from '../transaction/connection-queue.ts';
import type { HookTransaction } from '../transaction/hook-transaction.ts';

/** A transaction of the host, used through what the host handed over: an object of its library. */
export interface HostHandle {
  /** It is the transaction that a hook got, or a nested one. */
  readonly isHook: boolean;
  /** False for a nested transaction, which may be rolled back although the outer one commits. */
  readonly isOutermost: boolean;
  /** False once this library knows that the transaction has ended; the server is asked as well. */
  readonly isOpen: boolean;
  /** Sends statements; with the queue of all calls on the same connection. */
  connect(): Promise<HostConnection>;
  /**
   * Gets the transaction in which our savepoint has just begun, for libraries that may miss its
   * end.
   */
  onSavepoint?(xid: string): void;
  /** Runs the host's code in a savepoint. */
  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void>;
  /** Called once when the outermost transaction has ended. Absent if the library cannot know. */
  readonly onEnd?: (told: () => void) => void;
}

export interface HostConnection {
  readonly sender: StatementSender;
  readonly queue: ConnectionQueue;
}
