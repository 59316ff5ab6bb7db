import {
  ChargeCaptureInput,
  ChargeCreateInput,
  type ChargeJson,
  ChargeUpdateInput,
  toChargeResource,
} from '@paymount/core/payments';
import { ChargeListQuery, type ListJson, listCharges, Nothing } from '@paymount/http';
import { requireProcessor } from '../parts/missing-processor.ts';
import type { ServicePorts, Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type {
  ChargeCaptureParams,
  ChargeCreateParams,
  ChargeListParams,
  ChargeUpdateParams,
} from './params.ts';

const PATH = '/v1/charges';

/** The host's calls on charges. */
export interface HostCharges {
  create(acting: Acting, input: ChargeCreateParams): Promise<ChargeJson>;
  retrieve(acting: Acting, id: string): Promise<ChargeJson>;
  /** Newest first. */
  list(acting: Acting, query?: ChargeListParams): Promise<ListJson<ChargeJson>>;
  update(acting: Acting, id: string, input: ChargeUpdateParams): Promise<ChargeJson>;
  /** @param input without an amount, the full amount is captured */
  capture(acting: Acting, id: string, input?: ChargeCaptureParams): Promise<ChargeJson>;
  cancel(acting: Acting, id: string): Promise<ChargeJson>;
}

/** Charges for the host's own code. */
export function chargesFor(
  { charges }: Services,
  calls: HostCalls,
  processors: ServicePorts['processors'],
): HostCharges {
  return {
    create: (acting, input) => {
      const read = reading(ChargeCreateInput, input, (environment) =>
        requireProcessor(processors[environment]),
      );
      return calls.change(acting, { path: PATH, read }, async (call, parameters) =>
        toChargeResource(await charges.create(call, parameters)),
      );
    },
    retrieve: async (acting, id) => toChargeResource(await charges.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(ChargeListQuery, query), (call, parameters) =>
        listCharges(charges, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}`, read: reading(ChargeUpdateInput, input) },
        async (call, parameters) => toChargeResource(await charges.update(call, id, parameters)),
      ),
    capture: (acting, id, input = {}) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}/capture`, read: reading(ChargeCaptureInput, input) },
        async (call, parameters) => toChargeResource(await charges.capture(call, id, parameters)),
      ),
    cancel: (acting, id) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}/cancel`, read: reading(Nothing, {}) },
        async (call) => toChargeResource(await charges.cancel(call, id)),
      ),
  };
}
