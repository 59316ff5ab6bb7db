import type { Owner } from '../../kernel/basics/environment.ts';
import { type ChargeId, newId, parseId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { emptyBillingDetails } from '../contacts/contact.ts';
import type { Processor } from '../operations/processor.ts';
import { tokenize } from '../operations/tokenize.ts';
import type { PaymentWrite } from '../payment-change.ts';
import { type PaymentMethod, type Token, usedToken } from '../payment-methods/payment-method.ts';
import type { PaymentReaders } from '../payment-storage.ts';

/** The id that a caller sent, and its parameter. */
export interface Source {
  readonly name: string;
  readonly param: 'payment_method' | 'source';
}

/** The payment method of a charge, and the writes that mark it as used. */
export interface Funding {
  readonly method: PaymentMethod;
  readonly writes: readonly PaymentWrite[];
}

/**
 * Finds the payment method of a charge: a payment method, a token, or in test mode a name that the
 * processor knows, such as `pm_card_visa`. An unattached payment method can pay one charge, and a
 * token can be used once; the returned guarded writes ensure both.
 * @throws PaymountError `resource_missing`, `payment_method_unusable`, `token_already_used`,
 *   `processor_error`
 */
export async function findFunding(
  ports: { readonly read: PaymentReaders; readonly processor: Processor },
  asked: Source,
  charge: { readonly owner: Owner; readonly id: ChargeId; readonly at: Date },
): Promise<Funding> {
  const methodId = parseId('pm', asked.name);
  if (methodId !== undefined) {
    const method = await ports.read.paymentMethods.find(charge.owner, methodId);
    if (method === undefined) throw missing('payment method', asked.name, asked.param);
    return consume(method, charge.id, asked.param);
  }
  const tokenId = parseId('tok', asked.name);
  if (tokenId !== undefined) {
    const token = await ports.read.tokens.find(charge.owner, tokenId);
    if (token === undefined) throw missing('token', asked.name, asked.param);
    return useUp(token, charge, asked.param);
  }
  return requireProcessorName(ports.processor, asked, charge);
}

function consume(method: PaymentMethod, chargeId: ChargeId, param: string): Funding {
  if (method.consumedBy !== undefined) {
    throw new PaymountError(
      'payment_method_unusable',
      `Payment method ${method.id} was already used for charge ${method.consumedBy}; it can pay only one charge.`,
      { param },
    );
  }
  const row = { ...method, version: method.version + 1, consumedBy: chargeId };
  return { method: row, writes: [{ kind: 'payment_method', mode: 'update', row }] };
}

function useUp(
  token: Token,
  charge: { readonly owner: Owner; readonly id: ChargeId; readonly at: Date },
  param: string,
): Funding {
  const row = usedToken(token, charge.at, param);
  const method = newMethod(token, charge);
  return {
    method,
    writes: [
      { kind: 'token', mode: 'update', row },
      { kind: 'payment_method', mode: 'insert', row: method },
    ],
  };
}

async function requireProcessorName(
  processor: Processor,
  asked: Source,
  charge: { readonly owner: Owner; readonly id: ChargeId; readonly at: Date },
): Promise<Funding> {
  const { environment } = charge.owner;
  if (environment === 'live') throw missing('payment method', asked.name, asked.param);
  const named = await tokenize(
    processor,
    { type: 'card', token: asked.name },
    { environment, now: charge.at },
  );
  if (named.result !== 'tokenized') throw missing('payment method', asked.name, asked.param);
  const method = newMethod(named.facts, charge);
  return { method, writes: [{ kind: 'payment_method', mode: 'insert', row: method }] };
}

function newMethod(
  facts: Pick<PaymentMethod, 'type' | 'card' | 'processorToken'>,
  charge: { readonly owner: Owner; readonly id: ChargeId; readonly at: Date },
): PaymentMethod {
  const { type, card, processorToken } = facts;
  return {
    ...charge.owner,
    id: newId('pm'),
    version: 1,
    type,
    card,
    processorToken,
    billingDetails: emptyBillingDetails,
    metadata: {},
    consumedBy: charge.id,
    created: charge.at,
  };
}
