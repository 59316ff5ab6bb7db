import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { FailedCharge } from './invoice-owner.ts';

/** There is no payment method, or none that may be charged. */
const MISSING = ['payment_method_missing', 'payment_method_unattached', 'resource_missing'];
const UNUSABLE = [
  'payment_method_unusable',
  'mandate_required',
  'operation_not_supported',
  'invalid_currency',
];

/**
 * What an attempt to charge an invoice counts as that `prepareAttempt` refused: a failed charge, so that it is
 * tried again as its class says, and ends like any other.
 * @returns null: there was no payment method; undefined: the error says nothing about the invoice, such as
 *   `lock_timeout`, and is not caught
 */
export function attemptFailure(error: unknown): FailedCharge | null | undefined {
  if (!PaymountError.is(error)) return undefined;
  if (MISSING.includes(error.code)) return null;
  return UNUSABLE.includes(error.code) ? { code: error.code } : undefined;
}
