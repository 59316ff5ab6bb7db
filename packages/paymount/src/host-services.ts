import {
  ChargeCaptureInput,
  ChargeCreateInput,
  type ChargeJson,
  ChargeUpdateInput,
  EndpointCreateInput,
  type EndpointJson,
  PaymentMethodCreateInput,
  RefundCreateInput,
  type RefundJson,
  type Storage,
  toChargeResource,
  toEndpointResource,
  toPaymentMethodResource,
  toRefundResource,
} from '@paymount/core';
import { type IdempotencyPorts, parseInput } from '@paymount/http';
import { type Acting, callOf, HostCalls } from './host-calls.ts';
import { bindServices, type ServicePorts, type Services } from './services.ts';
import type { WorkInFlight } from './work-in-flight.ts';

type Unread = Readonly<Record<string, unknown>>;

/**
 * The API for the host's own code, in-process: the same names, inputs, answers and errors as
 * `/v1`. Under `using(trx)` what needs only the database finishes in the host's transaction; a
 * charge, capture or refund commits its intent there and goes on after the outermost commit.
 */
export interface HostServices {
  readonly charges: {
    create(acting: Acting, input: Unread): Promise<ChargeJson>;
    retrieve(acting: Acting, id: string): Promise<ChargeJson>;
    update(acting: Acting, id: string, input: Unread): Promise<ChargeJson>;
    capture(acting: Acting, id: string, input?: Unread): Promise<ChargeJson>;
    cancel(acting: Acting, id: string): Promise<ChargeJson>;
  };
  readonly refunds: {
    create(acting: Acting, input: Unread): Promise<RefundJson>;
    retrieve(acting: Acting, id: string): Promise<RefundJson>;
  };
  readonly paymentMethods: {
    create(acting: Acting, input: Unread): Promise<ReturnType<typeof toPaymentMethodResource>>;
    retrieve(acting: Acting, id: string): Promise<ReturnType<typeof toPaymentMethodResource>>;
  };
  readonly webhookEndpoints: {
    /** The answer shows the signing secret, this once. */
    create(acting: Acting, input: Unread): Promise<EndpointJson>;
    delete(acting: Acting, id: string): Promise<void>;
  };
}

/** What the host's calls need besides the storage that they are bound to. */
export interface HostPorts {
  readonly servicePorts: ServicePorts;
  readonly fingerprintKey: IdempotencyPorts['fingerprintKey'];
  readonly resolver: NonNullable<IdempotencyPorts['resolver']>;
  readonly inFlight: WorkInFlight;
}

/** The services on one storage, the pool or a host's transaction, for the host's own code. */
export function hostServices(ports: HostPorts, storage: Storage): HostServices {
  const { servicePorts, fingerprintKey, resolver, inFlight } = ports;
  const joined = inFlight.joined(storage);
  const isPart = storage.host?.isHook === true;
  const services = bindServices(servicePorts, joined);
  const calls = new HostCalls({
    ...servicePorts,
    fingerprintKey,
    idempotency: joined.idempotency,
    ...(joined.host === undefined && { resolver }),
  });
  return {
    charges: inFlight.calls(chargesFor(services, calls), isPart),
    refunds: inFlight.calls(refundsFor(services, calls), isPart),
    paymentMethods: inFlight.calls(paymentMethodsFor(services, calls), isPart),
    webhookEndpoints: inFlight.calls(webhookEndpointsFor(services, calls), isPart),
  };
}

function chargesFor({ charges }: Services, calls: HostCalls): HostServices['charges'] {
  const path = '/v1/charges';
  return {
    create: async (acting, input) => {
      const parameters = parseInput(ChargeCreateInput, input, acting.environment);
      return calls.change(acting, { method: 'POST', path, parameters }, async (call) =>
        toChargeResource(await charges.create(call, parameters)),
      );
    },
    retrieve: async (acting, id) => toChargeResource(await charges.retrieve(callOf(acting), id)),
    update: async (acting, id, input) => {
      const parameters = parseInput(ChargeUpdateInput, input, acting.environment);
      const request = { method: 'POST', path: `${path}/${id}`, parameters } as const;
      return calls.change(acting, request, async (call) =>
        toChargeResource(await charges.update(call, id, parameters)),
      );
    },
    capture: async (acting, id, input = {}) => {
      const parameters = parseInput(ChargeCaptureInput, input, acting.environment);
      const request = { method: 'POST', path: `${path}/${id}/capture`, parameters } as const;
      return calls.change(acting, request, async (call) =>
        toChargeResource(await charges.capture(call, id, parameters)),
      );
    },
    cancel: async (acting, id) => {
      const request = { method: 'POST', path: `${path}/${id}/cancel`, parameters: {} } as const;
      return calls.change(acting, request, async (call) =>
        toChargeResource(await charges.cancel(call, id)),
      );
    },
  };
}

function refundsFor({ refunds }: Services, calls: HostCalls): HostServices['refunds'] {
  return {
    create: async (acting, input) => {
      const parameters = parseInput(RefundCreateInput, input, acting.environment);
      const request = { method: 'POST', path: '/v1/refunds', parameters } as const;
      return calls.change(acting, request, async (call) =>
        toRefundResource(await refunds.create(call, parameters)),
      );
    },
    retrieve: async (acting, id) => toRefundResource(await refunds.retrieve(callOf(acting), id)),
  };
}

function paymentMethodsFor(
  { paymentMethods }: Services,
  calls: HostCalls,
): HostServices['paymentMethods'] {
  return {
    create: async (acting, input) => {
      const parameters = parseInput(PaymentMethodCreateInput, input, acting.environment);
      const request = { method: 'POST', path: '/v1/payment_methods', parameters } as const;
      return calls.change(acting, request, async (call) =>
        toPaymentMethodResource(await paymentMethods.create(call, parameters)),
      );
    },
    retrieve: async (acting, id) =>
      toPaymentMethodResource(await paymentMethods.retrieve(callOf(acting), id)),
  };
}

function webhookEndpointsFor(
  { endpoints }: Services,
  calls: HostCalls,
): HostServices['webhookEndpoints'] {
  const path = '/v1/webhook_endpoints';
  return {
    create: async (acting, input) => {
      const parameters = parseInput(EndpointCreateInput, input, acting.environment);
      return calls.change(acting, { method: 'POST', path, parameters }, async (call) => {
        const { endpoint, secret } = await endpoints.create(call, parameters);
        return toEndpointResource(endpoint, secret);
      });
    },
    delete: async (acting, id) => {
      const request = { method: 'DELETE', path: `${path}/${id}`, parameters: {} } as const;
      await calls.change(acting, request, (call) => endpoints.delete(call, id));
    },
  };
}
