import { z } from 'zod';
import type { Change } from '../../changes/change.ts';
import type { Event } from '../../changes/events/event.ts';
import type { EventType } from '../../changes/events/event-types.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { AccountId } from '../../kernel/basics/id.ts';
import { type SubscriptionJson, SubscriptionResource } from './subscription-resource.ts';

/** The types of the events of subscriptions. */
export type SubscriptionEventType = Extract<EventType, `subscription.${string}`>;

const Envelope = z.object({ data: z.object({ object: SubscriptionResource }) });

/** What the host's hook gets about a subscription. */
export interface SubscriptionResult {
  readonly kind: 'subscription';
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly event: SubscriptionEventType;
  /** As the event shows it. */
  readonly subscription: SubscriptionJson;
}

/**
 * What the subscriptions of a change have become. It is computed from the events, so that whatever receivers
 * get to know, the hook got to know before. Triggered events are about nothing that happened.
 */
export function subscriptionResults({
  events = [],
}: Pick<Change<unknown>, 'events'>): readonly SubscriptionResult[] {
  return events.flatMap(resultsOf);
}

function resultsOf({
  type,
  source,
  body,
  accountId,
  environment,
}: Event): readonly SubscriptionResult[] {
  if (!isOfSubscription(type) || source === 'trigger') return [];
  const subscription = Envelope.parse(JSON.parse(body)).data.object;
  return [{ kind: 'subscription', accountId, environment, event: type, subscription }];
}

function isOfSubscription(type: EventType): type is SubscriptionEventType {
  return type.startsWith('subscription.');
}
