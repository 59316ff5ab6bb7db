import type { Environment } from '../../kernel/basics/environment.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import { debitNumberContext } from '../payment-methods/payment-method.ts';
import { hideInResult, hideNumbers } from '../processor/hide-number.ts';
import type { NoticeOf } from '../processor/notice.ts';
import type { KeptNotice } from './unreadable-notice.ts';

/**
 * A notice as it may be stored: the number of a corrected bank account is sealed, as its payment
 * methods will keep it, and the message of a failure has no account number, whatever it is about.
 * @throws PaymountError `unavailable`, `sealing_keys_missing`
 */
export async function toStorableNotice(
  notice: KeptNotice,
  sealer: Pick<Sealer, 'seal'>,
  environment: Environment,
): Promise<KeptNotice> {
  if (notice.kind === 'account_update') return sealCorrection(notice, sealer, environment);
  if (notice.kind === 'charge.failed') {
    return { ...notice, data: hideInResult(notice.data, hideNumbers) };
  }
  if (notice.kind === 'refund.failed' || notice.kind === 'payout.failed') {
    return { ...notice, data: hideInResult(notice.data, hideNumbers) };
  }
  return notice;
}

async function sealCorrection(
  notice: NoticeOf<'account_update'>,
  sealer: Pick<Sealer, 'seal'>,
  environment: Environment,
): Promise<KeptNotice> {
  if (notice.data.accountNumber === undefined) return notice;
  const { accountNumber, ...data } = notice.data;
  const context = debitNumberContext(data.processorToken);
  const number = await sealer.seal(accountNumber, context, environment);
  return { ...notice, data: { last4: accountNumber.slice(-4), ...data, number } };
}
