import type { Endpoint } from './endpoint.ts';

const HOUR_MS = 3_600_000;

/** The owner of an endpoint is warned after so long without a success. */
export const WARN_AFTER_MS = 24 * HOUR_MS;
/** Without a success for so long, an endpoint is disabled. */
export const DISABLE_AFTER_MS = 72 * HOUR_MS;
/** The owner has at least so long after the first warning. */
export const NOTICE_MS = 12 * HOUR_MS;

/** An enabled endpoint whose attempt just failed. */
export interface FailingEndpoint {
  readonly endpoint: Endpoint;
  /** The end of the first failed attempt after a success, enabling, or a change of the URL. */
  readonly failingSince: Date;
  /** The end of the attempt that just failed. */
  readonly failedAt: Date;
  /** The receiver answered 410, and that disables its endpoint. */
  readonly isGone: boolean;
  /**
   * False after an attempt of the event that began to fail first, while further attempts of it follow:
   * the last one is made even if `Retry-After` has stretched the waits.
   */
  readonly mayDisable: boolean;
  /** The result of that attempt. */
  readonly lastStatus?: number;
  readonly lastError?: string;
  readonly warningQueuedAt?: Date;
  /** When the mail server accepted the first warning. */
  readonly warningSentAt?: Date;
  readonly finalWarningQueuedAt?: Date;
  readonly account: { readonly name: string; readonly email: string | null };
}
