import type { Principal } from '../../kernel/callers/principal.ts';
import { hasScope, requireScope } from '../../kernel/callers/require-scope.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import {
  EVENT_TYPES,
  type EventFamily,
  type EventPattern,
  type EventType,
  eventFamily,
  patternsFor,
} from './event-types.ts';

/**
 * The scope that reads the object of an event, as its routes need it. Disputes and subscriptions
 * have no scope that only reads.
 */
const READ_SCOPES: Readonly<Record<EventFamily, Scope>> = {
  charge: 'charges:read',
  subscription: 'subscriptions:write',
  dispute: 'disputes:write',
  payout: 'payouts:read',
};

/** Whether a principal may read the object of an event, and so the event. */
export function mayReadEvent(principal: Principal, type: EventType): boolean {
  return hasScope(principal, READ_SCOPES[eventFamily(type)]);
}

/**
 * Refuses an event whose object the principal could not retrieve either.
 * @throws PaymountError 403 `insufficient_scope`, naming the scope
 */
export function assertMayReadEvent(principal: Principal, type: EventType): void {
  const scope = READ_SCOPES[eventFamily(type)];
  requireScope(principal, scope, {
    why: `An event of the type ${type} contains what ${scope} reads.`,
  });
}

/**
 * The event types that a list shows to a principal: those that were asked for, otherwise all that it
 * may read.
 * @returns undefined for every type
 * @throws PaymountError 403 `insufficient_scope` for a type that it may not read, or if it may read
 *   none
 */
export function readableTypes(
  principal: Principal,
  asked: readonly EventPattern[] = ['*'],
): readonly EventType[] | undefined {
  const chosen = EVENT_TYPES.filter((type) =>
    patternsFor(type).some((pattern) => asked.some((each) => each === pattern)),
  );
  const isNamed = !asked.includes('*');
  const readable = chosen.filter((type) => mayReadEvent(principal, type));
  for (const type of isNamed || readable.length === 0 ? chosen : []) {
    assertMayReadEvent(principal, type);
  }
  return readable.length === EVENT_TYPES.length ? undefined : readable;
}

/**
 * Refuses to send events again that the principal may not read: it could have them sent to itself.
 * @throws PaymountError 403 `insufficient_scope`
 */
export function assertMayReplay(
  principal: Principal,
  types: readonly EventType[] = EVENT_TYPES,
): void {
  for (const type of types) assertMayReadEvent(principal, type);
}
