import type { OwnKeys } from '@paymount/core/access';
import type { EndpointService, EventReplayService, EventService } from '@paymount/core/events';
import type { BalanceService } from '@paymount/core/ledger';
import type { ChargeService, PaymentMethodService, RefundService } from '@paymount/core/payments';
import type { TriggerService } from '@paymount/core/testing';

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
