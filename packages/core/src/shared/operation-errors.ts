import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors of type `invalid_request_error`: what is asked meets something that is under way. */
export const OPERATION_ERRORS = {
  lock_timeout: invalid(
    'Another request or transaction held what this one needs for up to three seconds: try again once it has ended.',
    'If it happens again, look for a transaction that stays open, such as one of the host that has called Paymount: what a call locks stays locked until its transaction ends.',
    429,
  ),
  operation_in_progress: invalid(
    'Another request to the processor is under way for this object.',
    'Wait for it, then try again.',
    409,
  ),
  operation_under_review: invalid(
    'What became of the last request to the processor for this object is not known; a person is finding out.',
    'Wait for the event of this object, or ask the operator of this installation. Trying again sooner does not help.',
    409,
  ),
  operation_not_open: invalid(
    'The operation does not wait for a person, or no longer.',
    'Retrieve it: its `state` and `answers` tell what became of it.',
    409,
  ),
  hook_refused: invalid(
    'The hook of the host refused the result, so that nothing was recorded.',
    'The log has its error; once the hook accepts the result, send the request again.',
    409,
  ),
} as const satisfies Record<string, ErrorCodeFacts>;
