import {
  type AccountId,
  type Call,
  ChargeCaptureInput,
  ChargeCreateInput,
  type ChargeJson,
  ChargeUpdateInput,
  EndpointCreateInput,
  type EndpointJson,
  type Environment,
  newId,
  PaymentMethodCreateInput,
  RefundCreateInput,
  type RefundJson,
  toChargeResource,
  toEndpointResource,
  toPaymentMethodResource,
  toRefundResource,
} from '@paymount/core';
import { parseInput } from '@paymount/http';
import type { Services } from './services.ts';

/** Whom the host's own code acts for. */
export interface Acting {
  readonly account: AccountId;
  readonly environment: Environment;
}

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

/** Wraps services for the host's own code. */
export function hostServices(services: Services): HostServices {
  const { charges, refunds, paymentMethods, endpoints } = services;
  return {
    charges: {
      create: async (acting, input) =>
        toChargeResource(
          await charges.create(
            callOf(acting),
            parseInput(ChargeCreateInput, input, acting.environment),
          ),
        ),
      retrieve: async (acting, id) => toChargeResource(await charges.retrieve(callOf(acting), id)),
      update: async (acting, id, input) =>
        toChargeResource(
          await charges.update(
            callOf(acting),
            id,
            parseInput(ChargeUpdateInput, input, acting.environment),
          ),
        ),
      capture: async (acting, id, input = {}) =>
        toChargeResource(
          await charges.capture(
            callOf(acting),
            id,
            parseInput(ChargeCaptureInput, input, acting.environment),
          ),
        ),
      cancel: async (acting, id) => toChargeResource(await charges.cancel(callOf(acting), id)),
    },
    refunds: {
      create: async (acting, input) =>
        toRefundResource(
          await refunds.create(
            callOf(acting),
            parseInput(RefundCreateInput, input, acting.environment),
          ),
        ),
      retrieve: async (acting, id) => toRefundResource(await refunds.retrieve(callOf(acting), id)),
    },
    paymentMethods: {
      create: async (acting, input) =>
        toPaymentMethodResource(
          await paymentMethods.create(
            callOf(acting),
            parseInput(PaymentMethodCreateInput, input, acting.environment),
          ),
        ),
      retrieve: async (acting, id) =>
        toPaymentMethodResource(await paymentMethods.retrieve(callOf(acting), id)),
    },
    webhookEndpoints: {
      create: async (acting, input) => {
        const parsed = parseInput(EndpointCreateInput, input, acting.environment);
        const { endpoint, secret } = await endpoints.create(callOf(acting), parsed);
        return toEndpointResource(endpoint, secret);
      },
      delete: async (acting, id) => {
        await endpoints.delete(callOf(acting), id);
      },
    },
  };
}

function callOf(acting: Acting): Call {
  return {
    requestId: newId('req'),
    principal: {
      kind: 'host',
      accountId: acting.account,
      environment: acting.environment,
      scopes: 'all',
    },
  };
}
