import { newId } from '@paymount/core/kernel';
import type { BalanceTransaction } from '@paymount/core/ledger';
import { type Charge, prepareRefund } from '@paymount/core/payments';
import type { StoredChange } from '@paymount/core/store';
import { expect } from 'chai';
import { APPROVAL, AT, chargeOf, DECLINE, operationOf, refundOf } from '../../facts.ts';

const charge: Charge = {
  ...chargeOf({ amountRefunded: 6000 }),
  status: 'succeeded',
  amountCaptured: 10_000,
  capturedAt: AT,
  balanceTransactionId: newId('txn'),
};
const refund = refundOf(charge);
const transaction: BalanceTransaction = {
  accountId: refund.accountId,
  environment: refund.environment,
  id: refund.balanceTransactionId ?? newId('txn'),
  type: 'refund',
  sourceId: refund.id,
  amount: -6000n,
  fee: 0n,
  feeDetails: [],
  currency: 'eur',
  status: 'pending',
  availableOn: AT,
  created: AT,
};

function settle(result: Parameters<ReturnType<typeof prepareRefund>['conclude']>[1]): StoredChange {
  const operation = { ...operationOf(charge, 'refund'), subjectId: refund.id, amount: 6000 };
  return prepareRefund({ refund, charge, transaction }).conclude(operation, result, AT);
}

function toRow<Kind extends StoredChange['writes'][number]['kind']>(
  change: StoredChange,
  kind: Kind,
) {
  return change.writes.find((write) => write.kind === kind)?.row;
}

describe('the settlement of a refund', () => {
  it('confirms it with charge.refunded, and books nothing twice', () => {
    const change = settle({ ...APPROVAL, amount: 6000 });
    expect(toRow(change, 'refund')).to.include({ status: 'succeeded' });
    expect(toRow(change, 'charge')).to.include({ amountRefunded: 6000, version: 2 });
    expect(change.events?.map((event) => event.type)).to.deep.equal(['charge.refunded']);
    expect(change.postings).to.equal(undefined);
  });

  it('gives everything back when the processor rejects it, without an event', () => {
    const change = settle(DECLINE);
    expect(toRow(change, 'refund')).to.include({
      status: 'failed',
      failureReason: 'card_declined',
    });
    expect(toRow(change, 'charge')).to.include({ amountRefunded: 0 });
    expect(change.events).to.equal(undefined);
    expect(change.postings?.[0]?.entries).to.deep.equal([
      { code: 'pending', amount: -6000n },
      { code: 'processor_clearing', amount: 6000n },
    ]);
  });

  it('stays pending while the processor has not decided', () => {
    const change = settle({ outcome: 'unknown' });
    expect(toRow(change, 'refund')).to.equal(undefined);
    expect(toRow(change, 'operation')).to.include({ state: 'unknown' });
  });
});
