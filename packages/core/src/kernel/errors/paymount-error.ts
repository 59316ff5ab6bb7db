import { type ErrorCode, type ErrorType, errorFacts } from './error-codes.ts';
import { isError } from './is-error.ts';

const NAME = 'PaymountError';

interface ErrorDetails {
  /** Path of the parameter at fault: `card[exp_month]`. */
  readonly param?: string;
  /** `param` names what the whole request is about, as an id in the path does: 404, not 400. */
  readonly isTarget?: true;
  /** Card errors: the issuer's word. */
  readonly declineCode?: string;
  /** Further fields of the answer, snake_case; never secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Seconds until a retry makes sense. */
  readonly retryAfterSeconds?: number;
  /** The answer is kept under the request's `Idempotency-Key`: it stays the same. */
  readonly isKept?: true;
  /** For the log only. */
  readonly cause?: unknown;
}

/** The one error that callers see; its code is a row of the table in `error-codes.ts`. */
export class PaymountError extends Error {
  override readonly name = NAME;
  readonly code: ErrorCode;
  /** The family of the code. */
  readonly type: ErrorType;
  /** The HTTP status with which the API answers it. */
  readonly status: number;
  readonly param?: string;
  readonly declineCode?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  readonly isKept?: true;

  /** @param message what was found and what is needed; the code's meaning when left out */
  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}) {
    super(message ?? errorFacts(code).meaning, 'cause' in details ? { cause: details.cause } : {});
    this.code = code;
    this.type = errorFacts(code).type;
    this.status = statusOf(code, details);
    if (details.param !== undefined) this.param = details.param;
    if (details.declineCode !== undefined) this.declineCode = details.declineCode;
    if (details.extra !== undefined) this.extra = details.extra;
    if (details.retryAfterSeconds !== undefined) this.retryAfterSeconds = details.retryAfterSeconds;
    if (details.isKept !== undefined) this.isKept = details.isKept;
  }

  /** The same error, of an answer that is kept under the request's `Idempotency-Key`. */
  kept(): PaymountError {
    const cause = 'cause' in this ? { cause: this.cause } : {};
    return new PaymountError(this.code, this.message, { ...this, ...cause, isKept: true });
  }

  /** By name, because `instanceof` fails across copies of the package. */
  static is(value: unknown): value is PaymountError {
    return isError(value) && value.name === NAME && 'code' in value;
  }

  static override readonly [Symbol.hasInstance] = isInstance;
}

/** `instanceof PaymountError` means the same as `is`; that of a subclass stays its own. */
function isInstance(this: unknown, value: unknown): boolean {
  if (this === PaymountError) return PaymountError.is(value);
  return Function.prototype[Symbol.hasInstance].call(this, value);
}

/** An id that names nothing: 404 for what the request is about, as the path says; else 400. */
function statusOf(code: ErrorCode, { param, isTarget }: ErrorDetails): number {
  const isMissing = code === 'resource_missing' && (isTarget === true || param === undefined);
  return isMissing ? 404 : errorFacts(code).status;
}
