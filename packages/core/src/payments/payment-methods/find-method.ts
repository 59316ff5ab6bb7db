import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { emptyBillingDetails } from '../contacts/contact.ts';
import { type Clocked, clockField, timeOf } from '../object-clock.ts';
import type { Processor } from '../operations/processor.ts';
import { tokenize } from '../operations/tokenize.ts';
import type { PaymentWrite } from '../payment-change.ts';
import type { PaymentReaders } from '../payment-storage.ts';
import {
  type MethodUse,
  type PaymentMethod,
  type PaymentMethodFacts,
  usedToken,
} from './payment-method.ts';

/** Where payment methods are looked up. */
export interface MethodSources {
  readonly read: Pick<PaymentReaders, 'paymentMethods' | 'tokens'>;
  readonly processors: Readonly<Record<Environment, Processor>>;
}

/** What a caller sent to name a payment method. */
export interface NamedMethod {
  readonly name: string;
  /** The parameter that it was sent in; absent: the id in the path. */
  readonly param?: string;
}

/** A payment method, and how a change writes its next use. */
export interface FoundMethod {
  /** A new one has no row yet. */
  readonly method: PaymentMethod;
  /** The writes that give it this use; a token or a name also becomes a payment method by them. */
  writesFor(use: MethodUse): { readonly method: PaymentMethod; readonly writes: PaymentWrite[] };
}

/**
 * Finds what a caller named: a payment method, a token, or in test mode a name that the processor
 * knows, such as `pm_card_visa`. The writes for its next use are guarded, so that of two callers
 * who use one token or one unattached payment method only one succeeds.
 * @param on the customer to whom it will be attached, whose test clock it then follows
 * @throws PaymountError `resource_missing`, `token_already_used`, `processor_error`
 */
export async function findMethod(
  { read, processors }: MethodSources,
  asked: NamedMethod,
  { owner, at }: { readonly owner: Owner; readonly at: Date },
  on: Clocked = {},
): Promise<FoundMethod> {
  const methodId = parseId('pm', asked.name);
  if (methodId !== undefined) {
    const method = await read.paymentMethods.find(owner, methodId);
    if (method === undefined) throw notFound(asked);
    return stored(method, on);
  }
  const tokenId = asked.param === undefined ? undefined : parseId('tok', asked.name);
  if (tokenId !== undefined && asked.param !== undefined) {
    const token = await read.tokens.find(owner, tokenId);
    if (token === undefined) throw missing('token', asked.name, asked.param);
    const row = usedToken(token, at, asked.param);
    return fresh(newMethod(token, owner, timeOf(on, at)), on, [
      { kind: 'token', mode: 'update', row },
    ]);
  }
  if (owner.environment === 'live') throw notFound(asked);
  const named = await tokenize(
    processors[owner.environment],
    { type: 'card', token: asked.name },
    { environment: owner.environment, now: at },
  );
  if (named.result !== 'tokenized') throw notFound(asked);
  return fresh(newMethod(named.facts, owner, timeOf(on, at)), on, []);
}

function notFound({ name, param }: NamedMethod): Error {
  return missing('payment method', name, param);
}

function stored(method: PaymentMethod, on: Clocked): FoundMethod {
  return {
    method,
    writesFor(use) {
      const row = { ...method, ...clockField(on), version: method.version + 1, use };
      return { method: row, writes: [{ kind: 'payment_method', mode: 'update', row }] };
    },
  };
}

function fresh(method: PaymentMethod, on: Clocked, before: readonly PaymentWrite[]): FoundMethod {
  return {
    method,
    writesFor(use) {
      const row = { ...method, ...clockField(on), use };
      return { method: row, writes: [...before, { kind: 'payment_method', mode: 'insert', row }] };
    },
  };
}

/** A payment method of these facts that nobody has used yet. */
export function newMethod(facts: PaymentMethodFacts, owner: Owner, at: Date): PaymentMethod {
  const { type, card, processorToken } = facts;
  const { accountId, environment } = owner;
  return {
    ...{ accountId, environment },
    id: newId('pm'),
    version: 1,
    ...{ type, card, processorToken },
    billingDetails: emptyBillingDetails,
    metadata: {},
    use: { state: 'unattached' },
    created: at,
  };
}
