import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import type { Charge } from './charge.ts';
import type { ChargeCapture } from './charge-input.ts';

/**
 * The amount of a capture, of a charge whose row is locked.
 * @throws PaymountError `charge_already_captured`, `charge_expired_for_capture`,
 *   `capture_amount_exceeds_authorization`, `status_transition_invalid`
 */
export function requireCapturable(charge: Charge, input: ChargeCapture, now: Date): number {
  if (charge.status === 'succeeded') throw new PaymountError('charge_already_captured');
  if (charge.status === 'failed' && charge.failure.code === 'charge_expired_for_capture') {
    throw new PaymountError('charge_expired_for_capture');
  }
  if (charge.status !== 'authorized') throw notAuthorized(charge, 'captured');
  if (charge.captureBefore.getTime() <= now.getTime()) {
    throw new PaymountError('charge_expired_for_capture');
  }
  const amount = input.amount ?? charge.amount;
  if (amount > charge.amount) {
    throw new PaymountError(
      'capture_amount_exceeds_authorization',
      `Charge ${charge.id} authorized ${describeMoney(charge.amount, charge.currency)}; ` +
        `${describeMoney(amount, charge.currency)} cannot be captured.`,
      { param: 'amount' },
    );
  }
  return amount;
}

/** The error for a charge that is not authorized. @param done what it was to be */
export function notAuthorized(charge: Charge, done: string): PaymountError {
  return new PaymountError(
    'status_transition_invalid',
    `Charge ${charge.id} is ${charge.status}; only an authorized charge can be ${done}.`,
  );
}
