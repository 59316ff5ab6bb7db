import type { EventType } from '../../changes/events/event-types.ts';
import type { InvoiceLine } from '../invoices/invoice-lines.ts';
import { nextActionOf } from './next-action.ts';
import {
  type BillingPeriod,
  type Subscription,
  type SubscriptionFacts,
  type SubscriptionState,
  toFacts,
} from './subscription.ts';
import { SUBSCRIPTION_TRANSITIONS, type SubscriptionTrigger } from './subscription-states.ts';

/** A line of an invoice that is not written yet. */
export type LineDraft = Omit<InvoiceLine, 'id'>;

/** What a rule decides about a subscription. The caller commits all of it, or nothing. */
export interface BillingDecision {
  /** The row with the next version. */
  readonly subscription: Subscription;
  readonly event: EventType | null;
  /** Rows to insert. */
  readonly newPeriods: readonly BillingPeriod[];
  /** The row of the last period before them gets this end; null: it stays. */
  readonly movedEnd: { readonly index: number; readonly end: Date } | null;
  readonly lines: readonly LineDraft[];
  /** `now`: the lines are an invoice; `next`: they wait for the next one; `none`: there are none. */
  readonly invoicing: 'now' | 'next' | 'none';
}

/** What a decision has besides the subscription and its event. */
export type Billed = Pick<BillingDecision, 'newPeriods' | 'movedEnd' | 'lines' | 'invoicing'>;

/** Nothing is billed, and no period begins or ends. */
export const NOTHING_BILLED: Billed = {
  newPeriods: [],
  movedEnd: null,
  lines: [],
  invoicing: 'none',
};

/**
 * The subscription after a transition of the table.
 * @param facts what changes besides the state
 * @param state has the status to which the transition leads
 * @throws RangeError if the table does not allow it: callers check that before
 */
export function moved(
  subscription: Subscription,
  trigger: SubscriptionTrigger,
  {
    facts = {},
    state,
  }: { readonly facts?: Partial<SubscriptionFacts>; readonly state: SubscriptionState },
): Pick<BillingDecision, 'subscription' | 'event'> {
  const { from, to, event } = SUBSCRIPTION_TRANSITIONS[trigger];
  if (!from.includes(subscription.status) || state.status !== to) {
    throw new RangeError(
      `${trigger} does not lead from ${subscription.status} to ${state.status}.`,
    );
  }
  return { subscription: toRow({ ...toFacts(subscription), ...facts }, state), event };
}

/** The subscription with other facts, in the same state. */
export function edited(
  subscription: Subscription,
  facts: Partial<SubscriptionFacts>,
): Subscription {
  return toRow({ ...toFacts(subscription), ...facts }, subscription);
}

/** The row with the next version, and with the time of what is due next. */
function toRow(facts: SubscriptionFacts, state: SubscriptionState): Subscription {
  const row = { ...facts, version: facts.version + 1, ...toState(state) };
  return { ...row, nextActionAt: nextActionOf(row)?.at ?? null };
}

/** Just the fields of the state, also of a whole subscription. */
function toState(state: SubscriptionState): SubscriptionState {
  switch (state.status) {
    case 'incomplete':
      return { status: state.status, expiresAt: state.expiresAt };
    case 'past_due':
    case 'unpaid':
      return { status: state.status, dunning: state.dunning };
    case 'paused':
      return { status: state.status, pausedAt: state.pausedAt };
    case 'incomplete_expired':
    case 'canceled':
      return { status: state.status, endedAt: state.endedAt };
    case 'trialing':
    case 'active':
      return { status: state.status };
  }
}
