import type { OwnKeys } from '@paymount/core/access';
import type { BillingServices } from '@paymount/core/billing';
import type { WebhookServices } from '@paymount/core/events';
import type { BalanceService } from '@paymount/core/ledger';
import type { ConnectedApplications } from '@paymount/core/oauth';
import type { PaymentServices } from '@paymount/core/payments';
import type { TriggerService } from '@paymount/core/triggers';

/** The use cases that the routes call. */
interface UseCases extends PaymentServices, BillingServices, WebhookServices {
  readonly balance: BalanceService;
  readonly triggers: TriggerService;
  readonly ownKeys: OwnKeys;
  readonly connectedApplications: ConnectedApplications;
}

/** Their public methods, without private fields. */
export type Services = {
  readonly [Name in keyof UseCases]: Pick<UseCases[Name], keyof UseCases[Name]>;
};
