import type {
  AccountDirectory,
  AccountService,
  Caller,
  KeyReader,
  KeyService,
  KeyUsageReader,
  KeyViews,
  LeakReader,
  LeakService,
} from '@paymount/core/access';
import {
  type AuditReader,
  type EventDirectory,
  sealResponse,
  toStoredResponse,
} from '@paymount/core/changes';
import type {
  DeliveryDirectory,
  DeliveryService,
  EndpointDirectory,
  EndpointService,
  EventReplayService,
  ReplayDirectory,
  ReplayService,
} from '@paymount/core/events';
import type { Clock, Environment, Sealer } from '@paymount/core/kernel';
import type { OperationDirectory, OperationService } from '@paymount/core/payments';
import type { AdminCall } from './admin-call.ts';
import type { CheckHealth } from './health/health.ts';

/** The services that the routes call. */
export interface ManagementServices {
  readonly accounts: AccountService;
  readonly keys: KeyService;
  readonly keyViews: KeyViews;
  readonly usage: Pick<KeyUsageReader, 'hours' | 'addresses' | 'findMany'>;
  readonly endpoints: Pick<EndpointService, 'create' | 'update' | 'delete' | 'rotateSecret'>;
  readonly deliveries: Pick<DeliveryService, 'retry'>;
  readonly eventReplays: Pick<EventReplayService, 'replay'>;
  readonly replays: Pick<ReplayService, 'create' | 'cancel'>;
  readonly operations: Pick<OperationService, 'settle' | 'dismiss'>;
  readonly leaks: LeakService;
  readonly directory: Directory;
  readonly checkHealth: CheckHealth;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** Reads for admins, across accounts. */
export interface Directory {
  readonly accounts: AccountDirectory;
  readonly keys: Pick<KeyReader, 'find' | 'list'>;
  readonly endpoints: EndpointDirectory;
  readonly deliveries: DeliveryDirectory;
  readonly events: EventDirectory;
  readonly replays: ReplayDirectory;
  readonly operations: OperationDirectory;
  readonly leaks: LeakReader;
  readonly audit: AuditReader;
}

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
