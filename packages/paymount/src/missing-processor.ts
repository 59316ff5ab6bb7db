import type { Processor } from '@paymount/core';

const NONE = {
  methods: [],
  manualCapture: false,
  partialCapture: false,
  voids: false,
  refunds: false,
  idempotentSubmit: false,
} as const;

/** Stands where the host configured none; `router()` refuses to mount its environment. */
export class MissingProcessor implements Processor {
  readonly name = 'missing';
  readonly capabilities = NONE;

  tokenize(): Promise<never> {
    return refuse();
  }

  authorize(): Promise<never> {
    return refuse();
  }

  capture(): Promise<never> {
    return refuse();
  }

  cancel(): Promise<never> {
    return refuse();
  }

  refund(): Promise<never> {
    return refuse();
  }

  lookup(): Promise<never> {
    return refuse();
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('Pass `processors.live` to createPaymount.'));
}
