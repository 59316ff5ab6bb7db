import {
  type AddressOfInvoice,
  type BillingServices,
  billingServices,
  type CustomerMailSettings,
  endSubscriptionsOn,
} from '@paymount/core/billing';
import { type ValidateUrl, type WebhookServices, webhookServices } from '@paymount/core/events';
import type { Clock, CrashPoint, Environment, Logger, Sealer } from '@paymount/core/kernel';
import { BalanceService } from '@paymount/core/ledger';
import {
  type FileStore,
  type FileUploadQueue,
  type OperationRunner,
  type PaymentRules,
  type PaymentServices,
  type Processor,
  paymentServices,
} from '@paymount/core/payments';
import type { Storage } from '@paymount/core/store';
import { TriggerService, type ValidateParameters } from '@paymount/core/triggers';

/** The dependencies of the services besides storage, the same for every transaction. */
export interface ServicePorts {
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly runner: OperationRunner;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly rules: PaymentRules;
  readonly fingerprintNumber: (accountNumber: string) => string;
  readonly addressOfInvoice: AddressOfInvoice;
  readonly customerMails: CustomerMailSettings;
  readonly files: { readonly store: FileStore; readonly uploads: FileUploadQueue };
  readonly refundOverdraft: number;
  readonly validateUrl: ValidateUrl;
  readonly createSecret: () => string;
  readonly validateParameters: ValidateParameters;
  readonly crashPoint: CrashPoint;
  readonly logger: Logger;
}

export interface Services extends PaymentServices, BillingServices, WebhookServices {
  readonly balance: BalanceService;
  readonly triggers: TriggerService;
}

/** The use cases bound to one storage: the pool, or a host's transaction. */
export function bindServices(ports: ServicePorts, storage: Storage): Services {
  const bound = { ...ports, storage };
  return {
    ...paymentServices({ ...bound, endOnClock: (clock) => endSubscriptionsOn(bound, clock) }),
    ...billingServices(bound),
    ...webhookServices(bound),
    balance: new BalanceService(bound),
    triggers: new TriggerService(bound),
  };
}
