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
import { type Acting, callOf } from './acting.ts';
import { HostCalls } from './host-calls.ts';
import { requireProcessor } from './missing-processor.ts';
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
    charges: inFlight.calls(chargesFor(services, calls, servicePorts), isPart),
    refunds: inFlight.calls(refundsFor(services, calls), isPart),
    paymentMethods: inFlight.calls(paymentMethodsFor(services, calls, servicePorts), isPart),
    webhookEndpoints: inFlight.calls(webhookEndpointsFor(services, calls), isPart),
  };
}

function chargesFor(
  { charges }: Services,
  calls: HostCalls,
  { processors }: ServicePorts,
): HostServices['charges'] {
  const path = '/v1/charges';
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        {
          method: 'POST',
          path,
          read: (environment) => {
            requireProcessor(processors[environment]);
            return parseInput(ChargeCreateInput, input, environment);
          },
        },
        async (call, parameters) => toChargeResource(await charges.create(call, parameters)),
      ),
    retrieve: async (acting, id) => toChargeResource(await charges.retrieve(callOf(acting), id)),
    update: (acting, id, input) =>
      calls.change(
        acting,
        {
          method: 'POST',
          path: `${path}/${id}`,
          read: (environment) => parseInput(ChargeUpdateInput, input, environment),
        },
        async (call, parameters) => toChargeResource(await charges.update(call, id, parameters)),
      ),
    capture: (acting, id, input = {}) =>
      calls.change(
        acting,
        {
          method: 'POST',
          path: `${path}/${id}/capture`,
          read: (environment) => parseInput(ChargeCaptureInput, input, environment),
        },
        async (call, parameters) => toChargeResource(await charges.capture(call, id, parameters)),
      ),
    cancel: (acting, id) =>
      calls.change(
        acting,
        { method: 'POST', path: `${path}/${id}/cancel`, read: () => ({}) },
        async (call) => toChargeResource(await charges.cancel(call, id)),
      ),
  };
}

function refundsFor({ refunds }: Services, calls: HostCalls): HostServices['refunds'] {
  const path = '/v1/refunds';
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        {
          method: 'POST',
          path,
          read: (environment) => parseInput(RefundCreateInput, input, environment),
        },
        async (call, parameters) => toRefundResource(await refunds.create(call, parameters)),
      ),
    retrieve: async (acting, id) => toRefundResource(await refunds.retrieve(callOf(acting), id)),
  };
}

function paymentMethodsFor(
  { paymentMethods }: Services,
  calls: HostCalls,
  { processors }: ServicePorts,
): HostServices['paymentMethods'] {
  const path = '/v1/payment_methods';
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        {
          method: 'POST',
          path,
          read: (environment) => {
            requireProcessor(processors[environment]);
            return parseInput(PaymentMethodCreateInput, input, environment);
          },
        },
        async (call, parameters) =>
          toPaymentMethodResource(await paymentMethods.create(call, parameters)),
      ),
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
    create: (acting, input) =>
      calls.change(
        acting,
        {
          method: 'POST',
          path,
          read: (environment) => parseInput(EndpointCreateInput, input, environment),
        },
        async (call, parameters) => {
          const { endpoint, secret } = await endpoints.create(call, parameters);
          return toEndpointResource(endpoint, secret);
        },
      ),
    delete: async (acting, id) => {
      const request = { method: 'DELETE', path: `${path}/${id}`, read: () => ({}) } as const;
      await calls.change(acting, request, (call) => endpoints.delete(call, id));
    },
  };
}
