import { type AccountId, parseId } from '@paymount/core/kernel';
import type { Notice } from 'paymount/processor';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { AdminApp } from './admin-app.ts';

interface Owner {
  readonly account: AccountId;
  readonly environment: 'live' | 'test';
}

/** A chargeback of a charge of 100 euro cents. @returns the id of the dispute */
export async function disputeOfCharge(
  app: AdminApp,
  { account, environment }: Owner,
  charge: string,
): Promise<string> {
  const { stores, noticeInbox, processors, clock } = partsOf(app.paymount);
  const scope = { accounts: [account], environments: [environment] };
  const filter = { state: 'any', subject: charge } as const;
  const { data } = await stores.directory.operations.list(scope, filter, { limit: 1 });
  const operationId = parseId('op', data[0]?.id);
  if (operationId === undefined) throw new Error(`${charge} has no operation.`);
  const disputeReference = `dispute of ${charge}`;
  const opened = { amount: 100, currency: 'eur', reason: 'fraudulent', contestable: true };
  const notice: Notice = {
    noticeId: disputeReference,
    kind: 'dispute.opened',
    operationId,
    occurredAt: clock.now(),
    data: { disputeReference, ...opened },
  };
  const origin = { environment, processor: processors[environment].name };
  const at = clock.now();
  await noticeInbox.applyAll(
    await stores.notices.record({ origin, notices: [notice], at, leaseMs: 0 }),
  );
  const chargeId = parseId('ch', charge);
  const owner = { accountId: account, environment };
  const [dispute] = chargeId ? await stores.storage.read.disputes.ofCharge(owner, chargeId) : [];
  if (dispute === undefined) throw new Error(`${charge} has no dispute.`);
  return dispute.id;
}
