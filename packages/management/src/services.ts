import type {
  AccountService,
  Caller,
  KeyService,
  KeyUsageReader,
  KeyViews,
  LeakService,
} from '@paymount/core/access';
import type {
  BillingSettingsService,
  InvoiceActions,
  InvoiceService,
  SubscriptionService,
} from '@paymount/core/billing';
import { sealResponse, toStoredResponse } from '@paymount/core/changes';
import type {
  DeliveryService,
  EndpointService,
  EventReplayService,
  ReplayService,
} from '@paymount/core/events';
import type { ExpungeService } from '@paymount/core/expunging';
import type { Clock, Environment, Sealer } from '@paymount/core/kernel';
import type { GrantService, PlatformService } from '@paymount/core/oauth';
import type {
  AdjustmentService,
  BankAccountService,
  DisputeService,
  NoticeService,
  OperationService,
  PayoutSettingsService,
  SettlementService,
  TestClockService,
} from '@paymount/core/payments';
import type { Directories } from '@paymount/core/store';
import type { AdminCall } from './admin-call.ts';
import type { CheckHealth } from './health/health.ts';

/** The services that the routes call. */
export interface ManagementServices {
  readonly accounts: AccountService;
  readonly keys: KeyService;
  readonly keyViews: KeyViews;
  readonly platforms: PlatformService;
  readonly grants: Pick<GrantService, 'revoke'>;
  readonly usage: Pick<KeyUsageReader, 'hours' | 'addresses' | 'findMany'>;
  readonly endpoints: Pick<EndpointService, 'create' | 'update' | 'delete' | 'rotateSecret'>;
  readonly deliveries: Pick<DeliveryService, 'retry'>;
  readonly eventReplays: Pick<EventReplayService, 'replay'>;
  readonly replays: Pick<ReplayService, 'create' | 'cancel'>;
  readonly expunges: Pick<ExpungeService, 'create'>;
  readonly operations: Pick<OperationService, 'settle' | 'dismiss'>;
  readonly notices: Pick<NoticeService, 'retry' | 'dismiss'>;
  readonly disputes: Pick<DisputeService, 'rule'>;
  readonly payoutSettings: Pick<PayoutSettingsService, 'retrieve' | 'update'>;
  readonly subscriptions: Pick<SubscriptionService, 'cancel' | 'update' | 'retryWork'>;
  readonly invoices: Pick<InvoiceService, 'show'>;
  readonly invoiceActions: Pick<InvoiceActions, 'void' | 'markUncollectible' | 'pay' | 'retryWork'>;
  readonly billingSettings: Pick<BillingSettingsService, 'retrieve' | 'update'>;
  readonly bankAccounts: Pick<BankAccountService, 'confirm' | 'restore'>;
  readonly adjustments: Pick<AdjustmentService, 'create'>;
  readonly settlements: Pick<SettlementService, 'settle'>;
  readonly testClocks: Pick<TestClockService, 'clear'>;
  readonly leaks: LeakService;
  readonly directory: AdminDirectories;
  readonly checkHealth: CheckHealth;
  /** The text exposition format of Prometheus. */
  readonly readMetrics: () => Promise<string>;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** What admins read; no route reads signing secrets, or what a merchant reads. */
export type AdminDirectories = Omit<Directories, 'endpointSecrets' | 'connectedApplications'>;

/**
 * The caller of a change, and the answer to store under the idempotency key in the same commit: the
 * same answer that the handler returns.
 * @param sealing given for answers that contain a secret: the sealer and the environment
 */
export function toCaller<Result>(
  { audit, claim }: AdminCall,
  show: (result: Result) => object,
  sealing?: { readonly sealer: Sealer; readonly environment: Environment },
): Caller<Result> {
  if (claim === undefined) return { by: audit };
  return {
    by: audit,
    response: async (result) => {
      const resource = show(result);
      const answer =
        sealing === undefined
          ? toStoredResponse(resource)
          : await sealResponse(sealing.sealer, claim, { ...sealing, resource });
      return { claim, response: answer };
    },
  };
}
