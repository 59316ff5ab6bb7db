import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors of type `invalid_request_error`: the request conflicts with work in progress. */
export const OPERATION_ERRORS = {
  lock_timeout: invalid(
    'Another request or transaction holds a lock that this request needs. It waited up to three seconds; try again later.',
    'If it happens again, look for a transaction that stays open, such as a transaction of the host that has called Paymount. Its locks are held until it ends.',
    429,
  ),
  operation_in_progress: invalid(
    'Another request to the processor is in progress for this object.',
    'Wait for it, then try again.',
    409,
  ),
  operation_under_review: invalid(
    'The outcome of the last request to the processor for this object is not known. A person must find it out.',
    'Wait for an event of this object, or ask the operator of this installation. Do not try again before that.',
    409,
  ),
  operation_not_open: invalid(
    'The operation is not, or no longer, waiting for a person.',
    'Retrieve it: its `state` and `answers` show what happened.',
    409,
  ),
  notice_not_open: invalid(
    'The notice of the processor was applied, or is ignored already; there is nothing to decide.',
    'Retrieve it: its `state` and `reason` show what happened. One that was ignored can be retried.',
    409,
  ),
  notice_unreadable: invalid(
    'The notice of the processor could not be read, so it cannot be applied.',
    'Its `reason` names what is wrong. Fix the adapter or ask the processor, let the notice be sent again, or dismiss it.',
    409,
  ),
  settlement_difference_changed: invalid(
    'The settlement difference has other amounts by now than those of the request.',
    'Retrieve it, and look at it again. If you still settle it, send the `expected` and `found` that it has now.',
    409,
  ),
  hook_refused: invalid(
    'The hook of the host refused the result, so that nothing was recorded.',
    'The log has its error; once the hook accepts the result, send the request again.',
    409,
  ),
  hook_missing: invalid(
    'This process has no hook while others have one, so that nothing was recorded.',
    'Send the request to a process with the hook, or start this one with the same hook. If no process has a hook any more, run `paymount hook remove --reason TEXT`.',
    409,
  ),
} as const satisfies Record<string, ErrorCodeFacts>;
