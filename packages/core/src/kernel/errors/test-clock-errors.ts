import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors of test clocks. */
export const TEST_CLOCK_ERRORS = {
  test_clock_backwards: invalid(
    'A test clock only advances, and the time is not later than the one that it shows.',
    'Send a time after its `frozen_time`, or create another clock.',
  ),
  test_clock_advancing: invalid(
    'The test clock is advancing, and nothing else can happen to its objects meanwhile.',
    'Wait until its status is `ready`, then try again.',
    409,
  ),
  test_clock_limit_reached: invalid(
    'The account has 100 test clocks.',
    'Delete one that is not used any more.',
  ),
  test_clock_full: invalid(
    'The test clock has 100 customers.',
    'Delete a customer of it, or create another clock.',
  ),
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
