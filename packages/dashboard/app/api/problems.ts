/** What the server said about a request that failed. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  readonly request_id?: string;
  readonly required_permission?: string;
  readonly doc_url?: string;
  readonly [field: string]: unknown;
}

/** The server refused a request, and said why. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly refusal: Refusal;
  /** How long to wait before the next try; 0 if the server did not say. */
  readonly waitMs: number;

  constructor(status: number, refusal: Refusal, waitMs: number) {
    super(refusal.message);
    this.status = status;
    this.refusal = refusal;
    this.waitMs = waitMs;
  }

  get code(): string {
    return this.refusal.code;
  }
}

/** No answer came, or a proxy answered for the server. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** Whether something was to be written: it may have been. */
  readonly mayBeDone: boolean;

  constructor(message: string, mayBeDone: boolean, options?: ErrorOptions) {
    super(message, options);
    this.mayBeDone = mayBeDone;
  }
}

/** Whether the same request may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  return error instanceof RefusedError && (error.status >= 500 || error.status === 429);
}

export function hasCode(error: unknown, code: string): error is RefusedError {
  return error instanceof RefusedError && error.code === code;
}
