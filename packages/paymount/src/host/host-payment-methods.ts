import {
  PaymentMethodAttachInput,
  PaymentMethodCreateInput,
  type PaymentMethodJson,
  PaymentMethodUpdateInput,
  toPaymentMethodResource,
} from '@paymount/core/payments';
import { type ListJson, listPaymentMethods, Nothing, PaymentMethodListQuery } from '@paymount/http';
import { requireProcessor } from '../parts/missing-processor.ts';
import type { ServicePorts, Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type {
  PaymentMethodAttachParams,
  PaymentMethodCreateParams,
  PaymentMethodListParams,
  PaymentMethodUpdateParams,
} from './params.ts';

const PATH = '/v1/payment_methods';

/** The host's calls on payment methods. */
export interface HostPaymentMethods {
  create(acting: Acting, input: PaymentMethodCreateParams): Promise<PaymentMethodJson>;
  retrieve(acting: Acting, id: string): Promise<PaymentMethodJson>;
  update(acting: Acting, id: string, input: PaymentMethodUpdateParams): Promise<PaymentMethodJson>;
  /** The payment methods of a customer, newest first. */
  list(acting: Acting, query: PaymentMethodListParams): Promise<ListJson<PaymentMethodJson>>;
  attach(acting: Acting, id: string, input: PaymentMethodAttachParams): Promise<PaymentMethodJson>;
  /** For good: a detached payment method cannot be used again. */
  detach(acting: Acting, id: string): Promise<PaymentMethodJson>;
}

/** Payment methods for the host's own code. */
export function paymentMethodsFor(
  { paymentMethods, attachments }: Services,
  calls: HostCalls,
  processors: ServicePorts['processors'],
): HostPaymentMethods {
  return {
    create: (acting, input) => {
      const read = reading(PaymentMethodCreateInput, input, (environment) =>
        requireProcessor(processors[environment]),
      );
      return calls.change(acting, { path: PATH, read }, async (call, parameters) =>
        toPaymentMethodResource(await paymentMethods.create(call, parameters)),
      );
    },
    retrieve: async (acting, id) =>
      toPaymentMethodResource(await paymentMethods.retrieve(toCall(acting), id)),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}`, read: reading(PaymentMethodUpdateInput, input) },
        async (call, parameters) =>
          toPaymentMethodResource(await paymentMethods.update(call, id, parameters)),
      ),
    list: (acting, query) =>
      calls.read(acting, reading(PaymentMethodListQuery, query), (call, { customer, ...page }) =>
        listPaymentMethods(attachments, call, { customer, param: 'customer', path: PATH }, page),
      ),
    attach: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}/attach`, read: reading(PaymentMethodAttachInput, input) },
        async (call, parameters) =>
          toPaymentMethodResource(await attachments.attach(call, id, parameters)),
      ),
    detach: (acting, id) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}/detach`, read: reading(Nothing, {}) },
        async (call) => toPaymentMethodResource(await attachments.detach(call, id)),
      ),
  };
}
