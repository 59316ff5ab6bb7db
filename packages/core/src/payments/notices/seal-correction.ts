import type { Environment } from '../../kernel/basics/environment.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import { debitNumberContext } from '../payment-methods/payment-method.ts';
import type { Notice } from './notice.ts';

/**
 * A notice as it may be stored: the number of a corrected bank account is sealed, as its payment
 * methods will keep it.
 * @throws PaymountError `unavailable`, `sealing_keys_missing`
 */
export async function sealCorrection(
  notice: Notice,
  sealer: Pick<Sealer, 'seal'>,
  environment: Environment,
): Promise<Notice> {
  if (notice.kind !== 'account_update' || notice.data.accountNumber === undefined) return notice;
  const { accountNumber, ...data } = notice.data;
  const context = debitNumberContext(data.processorToken);
  const number = await sealer.seal(accountNumber, context, environment);
  return { ...notice, data: { last4: accountNumber.slice(-4), ...data, number } };
}
