import { PaymountError } from '@paymount/core/kernel';
import type { Processor } from '@paymount/core/payments';

const CURE = 'Live needs a processor: pass `processors: { live: yourAdapter }`.';

const MISSING = 'missing';
const NONE = {
  methods: [],
  manualCapture: false,
  partialCapture: false,
  voids: false,
  refunds: false,
  idempotentSubmit: false,
} as const;

/** A placeholder if the host configured no processor; `requireProcessor` refuses it. */
export class MissingProcessor implements Processor {
  readonly name = MISSING;
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

/** Recognized by its capabilities, because `instanceof` fails across copies of the package. */
export function isMissing({ name, capabilities }: Processor): boolean {
  return name === MISSING && capabilities.methods.length === 0;
}

/** @throws PaymountError `operation_not_supported` if the host configured no processor */
export function requireProcessor(processor: Processor): void {
  if (isMissing(processor)) {
    throw new PaymountError('operation_not_supported', CURE);
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error(CURE));
}
