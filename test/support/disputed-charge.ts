import { parseId } from '@paymount/core/kernel';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { AdminApp } from './admin-app.ts';
import { type NoticeOwner, recordNotice } from './record-notice.ts';

/** A chargeback of a charge of 100 euro cents. @returns the id of the dispute */
export async function disputeOfCharge(
  app: AdminApp,
  { account, environment }: NoticeOwner,
  charge: string,
): Promise<string> {
  const disputeReference = `dispute of ${charge}`;
  const opened = { amount: 100, currency: 'eur', reason: 'fraudulent', contestable: true };
  await recordNotice(app, { account, environment }, charge, {
    noticeId: disputeReference,
    kind: 'dispute.opened',
    data: { disputeReference, ...opened },
  });
  const { stores } = partsOf(app.paymount);
  const chargeId = parseId('ch', charge);
  const owner = { accountId: account, environment };
  const [dispute] = chargeId ? await stores.storage.read.disputes.ofCharge(owner, chargeId) : [];
  if (dispute === undefined) throw new Error(`${charge} has no dispute.`);
  return dispute.id;
}
