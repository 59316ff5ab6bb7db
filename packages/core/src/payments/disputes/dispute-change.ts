import type { Event } from '../../changes/events/event.ts';
import { buildEvent } from '../../changes/events/event-resource.ts';
import type { RequestId } from '../../kernel/basics/id.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import type { Charge } from '../charges/charge.ts';
import { clockField, timeOf } from '../test-clocks/object-clock.ts';
import type { Dispute } from './dispute.ts';
import { disputeMail, newsOf } from './dispute-mail.ts';
import { toDisputeResource } from './dispute-resource.ts';
import { DISPUTE_TRANSITIONS, type DisputeTrigger } from './dispute-states.ts';
import type { DisputeChange } from './dispute-storage.ts';

/** Where a transition comes from. `at`: in the time that everybody shares. */
export interface Cause {
  readonly at: Date;
  readonly source: Event['source'];
  readonly requestId?: RequestId;
}

/** A dispute after a transition, and what it books. */
export interface Moved {
  readonly trigger: DisputeTrigger;
  readonly dispute: Dispute;
  readonly booked?: LedgerFacts;
}

/**
 * The change of one or two transitions of a dispute: its row, events and ledger, and the charge if it
 * changes with it. The row is written once, so that both have its next version. The host's hook runs
 * in it.
 * @param transitions in order; each continues with the dispute of the one before
 * @param from whether the dispute is new, and its charge, which names it from then on
 */
export function disputeChange(
  transitions: readonly [Moved, ...Moved[]],
  from: { readonly isNew: boolean; readonly charge: Charge; readonly changesCharge: boolean },
  cause: Cause,
): DisputeChange {
  const [{ dispute: first }] = transitions;
  const moves = transitions.map((moved) => ({
    ...moved,
    dispute: { ...moved.dispute, version: first.version },
  }));
  // The e-mail to the owner is about the last of two transitions.
  const { dispute, trigger } = moves.at(-1) ?? transitions[0];
  const { accountId, environment } = dispute;
  const { charge } = from;
  const news = newsOf(trigger, charge.dispute?.isChargeback === true);
  return {
    accountId,
    environment,
    at: cause.at,
    ...clockField(charge),
    // In the fixed order of row locks.
    writes: [
      ...(from.changesCharge ? [{ kind: 'charge', mode: 'update', row: charge } as const] : []),
      { kind: 'dispute', mode: from.isNew ? 'insert' : 'update', row: dispute },
    ],
    events: moves.flatMap((moved) => eventOf(moved, { ...cause, at: timeOf(charge, cause.at) })),
    postings: moves.flatMap(({ booked }) => booked?.postings ?? []),
    balanceTransactions: moves.flatMap(({ booked }) => booked?.balanceTransactions ?? []),
    mails: news === undefined ? [] : [disputeMail(dispute, news, cause.at)],
    settled: { kind: 'dispute', dispute, charge },
  };
}

/** The change of facts that neither events nor the host's hook show. */
export function disputeRowChange(row: Dispute, charge: Charge, at: Date): DisputeChange {
  const { accountId, environment } = row;
  const writes = [{ kind: 'dispute', mode: 'update', row }] as const;
  return { accountId, environment, at, ...clockField(charge), writes };
}

function eventOf({ trigger, dispute }: Moved, { at, source, requestId }: Cause): readonly Event[] {
  const type = DISPUTE_TRANSITIONS[trigger].event;
  if (type === null) return [];
  const { accountId, environment, version: objectVersion } = dispute;
  return [
    buildEvent({
      owner: { accountId, environment },
      type,
      object: toDisputeResource(dispute),
      objectVersion,
      at,
      source,
      testClockId: dispute.testClockId,
      ...(requestId === undefined ? {} : { requestId }),
    }),
  ];
}
