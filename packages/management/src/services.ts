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
  answerOf,
  type EventDirectory,
  sealedAnswer,
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

/** What the routes call. */
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

/** What admins look through, across accounts. */
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
 * Who asks a service for a change, and what it stores under the idempotency key in the same
 * commit: the very answer that the handler gives.
 * @param sealing given for answers that show a secret: what seals it, and of what environment it is
 */
export function callerOf<Result>(
  { audit, claim }: AdminCall,
  show: (result: Result) => object,
  sealing?: { readonly sealer: Sealer; readonly environment: Environment },
): Caller<Result> {
  if (claim === undefined) return { by: audit };
  return {
    by: audit,
    answer: async (result) => {
      const resource = show(result);
      const answer =
        sealing === undefined
          ? answerOf(resource)
          : await sealedAnswer(sealing.sealer, claim, { ...sealing, resource });
      return { claim, answer };
    },
  };
}
