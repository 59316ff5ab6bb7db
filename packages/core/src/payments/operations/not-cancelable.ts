import { PaymountError } from '../../kernel/errors/paymount-error.ts';

/** Why an object cannot be canceled: it has ended, or a worker has begun to send its operation. */
export function notCancelable(
  noun: string,
  { id, status }: { readonly id: string; readonly status: string },
): PaymountError {
  return new PaymountError(
    'status_transition_invalid',
    status === 'pending'
      ? `${noun} ${id} was sent to the processor; only an unsent one can be canceled.`
      : `${noun} ${id} is ${status}; only a pending one can be canceled.`,
  );
}
