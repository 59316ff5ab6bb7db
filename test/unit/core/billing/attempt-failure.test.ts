import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { attemptFailure } from '../../../../packages/core/src/billing/invoices/attempt-failure.ts';
import { declineClassOf } from '../../../../packages/core/src/billing/subscriptions/decline-class.ts';

describe('an attempt that is refused before anything is sent', () => {
  const CLASSES = [
    ['payment_method_missing', 'customer'],
    ['payment_method_unattached', 'customer'],
    ['resource_missing', 'customer'],
    ['payment_method_unusable', 'customer'],
    ['mandate_required', 'customer'],
    ['operation_not_supported', 'customer'],
    ['invalid_currency', 'customer'],
  ] as const;
  for (const [code, expected] of CLASSES) {
    it(`with ${code} is of class ${expected}`, () => {
      const failure = attemptFailure(new PaymountError(code));
      expect(failure).to.not.equal(undefined);
      expect(declineClassOf(failure ?? null)).to.equal(expected);
    });
  }

  it('because of anything else is no failure of the invoice', () => {
    const errors = [new PaymountError('lock_timeout'), new Error('The connection is closed.')];
    expect(errors.map(attemptFailure)).to.deep.equal([undefined, undefined]);
  });
});
