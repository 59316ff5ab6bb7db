import type { OwnKeys } from '@paymount/auth';
import type {
  BalanceService,
  ChargeService,
  EndpointService,
  EventReplayService,
  EventService,
  PaymentMethodService,
  RefundService,
  TriggerService,
} from '@paymount/core';

/** The public methods of a class, without its private fields. */
type Face<Service> = Pick<Service, keyof Service>;

/** The use cases that the routes call. */
export interface Services {
  readonly charges: Face<ChargeService>;
  readonly refunds: Face<RefundService>;
  readonly paymentMethods: Face<PaymentMethodService>;
  readonly balance: Face<BalanceService>;
  readonly endpoints: Face<EndpointService>;
  readonly events: Face<EventService>;
  readonly eventReplays: Face<EventReplayService>;
  readonly triggers: Face<TriggerService>;
  readonly ownKeys: Face<OwnKeys>;
}
