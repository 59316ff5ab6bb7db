import {
  PaymentMethodCreateInput,
  type PaymentMethodJson,
  PaymentMethodUpdateInput,
  toPaymentMethodResource,
} from '@paymount/core/payments';
import { requireProcessor } from '../parts/missing-processor.ts';
import type { ServicePorts, Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type { PaymentMethodCreateParams, PaymentMethodUpdateParams } from './params.ts';

const PATH = '/v1/payment_methods';

/** The host's calls on payment methods. */
export interface HostPaymentMethods {
  create(acting: Acting, input: PaymentMethodCreateParams): Promise<PaymentMethodJson>;
  retrieve(acting: Acting, id: string): Promise<PaymentMethodJson>;
  update(acting: Acting, id: string, input: PaymentMethodUpdateParams): Promise<PaymentMethodJson>;
}

/** Payment methods for the host's own code. */
export function paymentMethodsFor(
  { paymentMethods }: Services,
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
  };
}
