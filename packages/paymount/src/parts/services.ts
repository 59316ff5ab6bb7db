import {
  EndpointService,
  EventReplayService,
  EventService,
  type ValidateUrl,
} from '@paymount/core/events';
import type { Clock, CrashPoint, Environment, Logger, Sealer } from '@paymount/core/kernel';
import { BalanceService } from '@paymount/core/ledger';
import {
  ChargeService,
  loadRefund,
  type OperationRunner,
  PaymentMethodService,
  type Processor,
  prepareCharge,
  prepareRefund,
  RefundService,
  type SettlementRules,
  type Settlers,
} from '@paymount/core/payments';
import type { Storage } from '@paymount/core/store';
import { TriggerService, type ValidateParameters } from '@paymount/core/testing';

/** What the services need besides storage, the same for every transaction. */
export interface ServicePorts {
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly runner: OperationRunner;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly rules: SettlementRules;
  readonly refundOverdraft: number;
  readonly validateUrl: ValidateUrl;
  readonly createSecret: () => string;
  readonly validateParameters: ValidateParameters;
  readonly crashPoint: CrashPoint;
  readonly logger: Logger;
}

export interface Services {
  readonly charges: ChargeService;
  readonly refunds: RefundService;
  readonly paymentMethods: PaymentMethodService;
  readonly balance: BalanceService;
  readonly endpoints: EndpointService;
  readonly events: EventService;
  readonly eventReplays: EventReplayService;
  readonly triggers: TriggerService;
}

/** The use cases bound to one storage: the pool, or a host's transaction. */
export function bindServices(ports: ServicePorts, storage: Storage): Services {
  const bound = { ...ports, storage };
  return {
    charges: new ChargeService(bound),
    refunds: new RefundService(bound),
    paymentMethods: new PaymentMethodService(bound),
    balance: new BalanceService(bound),
    endpoints: new EndpointService(bound),
    events: new EventService(bound),
    eventReplays: new EventReplayService(bound),
    triggers: new TriggerService(bound),
  };
}

/** How each kind of operation finds its subject when nobody has it in hand. */
export function settlersOf(rules: SettlementRules): Settlers {
  const charge: Settlers['authorize'] = async (operation, read) => {
    const found = await read.charges.find(operation, operation.chargeId);
    if (found === undefined) throw new Error(`Operation ${operation.id} has lost its charge.`);
    return prepareCharge(found, rules);
  };
  const refund: Settlers['refund'] = async (operation, read) =>
    prepareRefund(await loadRefund(read, operation));
  return {
    authorize: charge,
    capture: charge,
    // A full refund of an authorized charge cancels it, and settles the refund with it.
    cancel: (operation, read) =>
      operation.subjectId === operation.chargeId
        ? charge(operation, read)
        : refund(operation, read),
    refund,
  };
}
