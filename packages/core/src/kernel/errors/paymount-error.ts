import { type ErrorCode, type ErrorType, errorFacts } from './error-codes.ts';
import { isError } from './is-error.ts';

const NAME = 'PaymountError';

interface ErrorDetails {
  /** Path of the wrong parameter: `card[exp_month]`. */
  readonly param?: string;
  /** `param` names the object of the whole request, as an id in the path does: 404, not 400. */
  readonly isTarget?: true;
  /** For card errors: the issuer's decline code. */
  readonly declineCode?: string;
  /** Additional fields of the answer, snake_case; never secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Seconds until a retry makes sense. */
  readonly retryAfterSeconds?: number;
  /**
   * The answer is stored under the request's `Idempotency-Key`, so that a repetition gets it again.
   */
  readonly isKept?: true;
  /** Only for the log. */
  readonly cause?: unknown;
}

/** The one error that callers see; its code is a row of the table in `error-codes.ts`. */
export class PaymountError extends Error {
  override readonly name = NAME;
  readonly code: ErrorCode;
  /** The type of the error, from the table. */
  readonly type: ErrorType;
  /** The HTTP status of the API's answer. */
  readonly status: number;
  readonly param?: string;
  readonly declineCode?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  readonly isKept?: true;

  /**
   * @param message what was found and what is needed
   * @defaultValue the meaning of the code, with its cure if the request can be corrected
   */
  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}) {
    super(message ?? defaultMessage(code), 'cause' in details ? { cause: details.cause } : {});
    this.code = code;
    this.type = errorFacts(code).type;
    this.status = statusFor(code, details);
    if (details.param !== undefined) this.param = details.param;
    if (details.declineCode !== undefined) this.declineCode = details.declineCode;
    if (details.extra !== undefined) this.extra = details.extra;
    if (details.retryAfterSeconds !== undefined) this.retryAfterSeconds = details.retryAfterSeconds;
    if (details.isKept !== undefined) this.isKept = details.isKept;
  }

  /** The same error, marked as stored under the request's `Idempotency-Key`. */
  kept(): PaymountError {
    const cause = 'cause' in this ? { cause: this.cause } : {};
    return new PaymountError(this.code, this.message, { ...this, ...cause, isKept: true });
  }

  /** Compares the name, because `instanceof` fails across copies of the package. */
  static is(value: unknown): value is PaymountError {
    return isError(value) && value.name === NAME && 'code' in value;
  }

  static override readonly [Symbol.hasInstance] = isInstance;
}

/** `instanceof PaymountError` means the same as `is`. Subclasses keep their own check. */
function isInstance(this: unknown, value: unknown): boolean {
  if (this === PaymountError) return PaymountError.is(value);
  return Function.prototype[Symbol.hasInstance].call(this, value);
}

/** The message of a card error is shown to a payer, and its cure is for the merchant. */
function defaultMessage(code: ErrorCode): string {
  const { type, meaning, cure } = errorFacts(code);
  return type === 'invalid_request_error' ? `${meaning} ${cure}` : meaning;
}

/** The status for an id that does not exist: 404 for the object of the request, otherwise 400. */
function statusFor(code: ErrorCode, { param, isTarget }: ErrorDetails): number {
  const isMissing = code === 'resource_missing' && (isTarget === true || param === undefined);
  return isMissing ? 404 : errorFacts(code).status;
}
