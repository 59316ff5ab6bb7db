import type { OperationId } from '@paymount/core/kernel';
import type { StoredChange, StoredWrite } from '@paymount/core/store';
import { chosenDeliveriesPart, deliveriesPart, retryPart } from '../deliveries/delivery-parts.ts';
import type { PlannedDelivery } from '../deliveries/fan-out.ts';
import { endpointTable, retireSecretsPart, secretPart } from '../endpoints/endpoint-rows.ts';
import { eventsPart } from '../events/event-parts.ts';
import { claimPart, responsePart } from '../idempotency/idempotency-parts.ts';
import { forgetItemsPart } from '../invoices/invoice-item-rows.ts';
import { balanceTransactionsPart, postingsPart } from '../ledger/ledger-parts.ts';
import { deleteMailsPart, mailsPart } from '../mails/mail-rows.ts';
import { operationAnswerPart } from '../operations/operation-answer-rows.ts';
import { attachedPart, blockPart, detachAllPart } from '../payment-methods/attachment-parts.ts';
import { correctionPart } from '../payment-methods/correction-part.ts';
import { PAYMENT_TABLES, paymentPart } from '../payments/payment-rows.ts';
import { movedEndPart, newPeriodsPart } from '../subscriptions/period-parts.ts';
import { clockPart } from '../test-clocks/object-clock.ts';
import type { WrittenRow } from '../transaction/session.ts';
import { credentialPart } from './credential-parts.ts';
import { insertPart, type Part, updatePart } from './part.ts';
import { assertTableCodes } from './part-codes.ts';

/**
 * The parts of the statement of a change.
 * @param shiftMs offset of business time from the database's time
 */
export function buildParts(
  change: StoredChange,
  deliveries: readonly PlannedDelivery[],
  shiftMs: number,
): readonly Part[] {
  const {
    claim,
    credential,
    secret,
    retiredSecrets,
    retriedDelivery,
    attached,
    blocked,
    clock,
    corrected,
    deletedCustomer,
    newPeriods,
    movedEnd,
    postings = [],
    balanceTransactions = [],
    events = [],
    chosenDeliveries,
    response,
    operationAnswer,
    mails = [],
  } = change;
  const parts: Part[] = [];
  if (credential) parts.push(credentialPart({ ...change, credential }));
  const claims = claim !== undefined && response?.key === claim.key;
  if (claim) {
    const operationId = requestedOperation(change);
    const rest = { operationId, response: claims ? response.response : undefined };
    parts.push(claimPart(claim, change, rest));
  }
  const decidedAt = new Date(change.at.getTime() - shiftMs);
  parts.push(...change.writes.map((write) => writePart(write, decidedAt)));
  if (movedEnd) parts.push(movedEndPart(movedEnd));
  if (newPeriods) parts.push(newPeriodsPart(newPeriods));
  if (attached) parts.push(attachedPart(attached));
  if (blocked) parts.push(blockPart(blocked));
  // Last of what is locked, as in every transaction that locks objects first.
  if (clock) parts.push(clockPart(clock));
  if (corrected) parts.push(correctionPart(corrected));
  if (deletedCustomer) {
    parts.push(
      detachAllPart(deletedCustomer, change.at),
      forgetItemsPart(deletedCustomer),
      deleteMailsPart(deletedCustomer),
    );
  }
  if (retriedDelivery) parts.push(retryPart(retriedDelivery, shiftMs));
  if (chosenDeliveries) {
    const kept = chosenDeliveries.filter(({ eventId }) => !events.some(({ id }) => id === eventId));
    const eventIds = [...new Set(kept.map(({ eventId }) => eventId))];
    parts.push(chosenDeliveriesPart(chosenDeliveries, eventIds, shiftMs));
  }
  if (retiredSecrets) parts.push(retireSecretsPart(retiredSecrets));
  if (secret) parts.push(secretPart(secret));
  if (balanceTransactions.length > 0) {
    parts.push(balanceTransactionsPart(balanceTransactions, clock?.id));
  }
  if (events.length > 0) parts.push(eventsPart(events));
  if (deliveries.length > 0) parts.push(deliveriesPart(deliveries, shiftMs));
  if (response && !claims) parts.push(responsePart(response.key, response.response));
  if (operationAnswer) parts.push(operationAnswerPart(operationAnswer));
  if (mails.length > 0) parts.push(mailsPart(mails));
  if (postings.length > 0) parts.push(postingsPart(postings));
  return parts;
}

/** What was asked of a processor under the key. An operation that is only changed has another key. */
function requestedOperation({ writes }: StoredChange): OperationId | undefined {
  for (const write of writes) {
    if (write.kind === 'operation' && write.mode === 'insert') return write.row.id;
  }
  return undefined;
}

const TABLES: Readonly<Record<StoredWrite['kind'], { name: string; code: string }>> = {
  ...PAYMENT_TABLES,
  endpoint: endpointTable,
};
assertTableCodes(Object.values(TABLES));

/** A row that shows whether a change was committed: all of its writes commit together. */
export function writtenRow({ writes }: StoredChange): WrittenRow | undefined {
  const [write] = writes;
  if (write === undefined) return undefined;
  const { id, version } = write.row;
  return { table: TABLES[write.kind].name, id, version };
}

function writePart(write: StoredWrite, decidedAt: Date): Part {
  if (write.kind !== 'endpoint') return paymentPart(write, decidedAt);
  return write.mode === 'insert'
    ? insertPart(endpointTable, write.row)
    : updatePart(endpointTable, write.row);
}
