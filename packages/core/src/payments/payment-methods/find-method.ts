import type { Owner } from '../../kernel/basics/environment.ts';
import { newId, parseId, type TokenId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { emptyBillingDetails } from '../contacts/contact.ts';
import { assertTakes } from '../processor/assert-can.ts';
import { type Clocked, clockField, timeOf } from '../test-clocks/object-clock.ts';
import {
  type MethodFacts,
  type MethodUse,
  type PaymentMethod,
  usedToken,
} from './payment-method.ts';
import type {
  PaymentMethodReaders,
  PaymentMethodStorage,
  PaymentMethodWrite,
} from './payment-method-storage.ts';
import { tokenize } from './tokenize.ts';
import { sealNumber, type TokenizePorts } from './tokenize-method.ts';

/** Where payment methods are looked up. */
export interface MethodSources extends TokenizePorts {
  readonly read: PaymentMethodReaders;
  /** Present inside a host's transaction. */
  readonly host: PaymentMethodStorage['host'];
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
  writesFor(use: MethodUse): {
    readonly method: PaymentMethod;
    readonly writes: PaymentMethodWrite[];
  };
}

/** The names of test bank accounts. */
const BANK_NAME = /^pm_usBankAccount(?:_|$)/;

/**
 * Finds what a caller named: a payment method, a token, or in test mode a name that the processor
 * knows, such as `pm_card_visa`. The writes for its next use are guarded, so that of two callers
 * who use one token or one unattached payment method only one succeeds.
 * @param on the customer to whom it will be attached, whose test clock it then follows
 * @throws PaymountError `resource_missing`, `token_already_used`, `processor_error`,
 *   `operation_not_supported` for a kind of method that the processor does not take, and for a name
 *   in a host's transaction that only a call can resolve
 */
export async function findMethod(
  sources: MethodSources,
  asked: NamedMethod,
  { owner, at }: { readonly owner: Owner; readonly at: Date },
  on: Clocked = {},
): Promise<FoundMethod> {
  const { read } = sources;
  const methodId = parseId('pm', asked.name);
  if (methodId !== undefined) {
    const method = await read.paymentMethods.find(owner, methodId);
    if (method === undefined) throw notFound(asked);
    return stored(method, on);
  }
  const tokenId = asked.param === undefined ? undefined : parseTokenId(asked.name);
  if (tokenId !== undefined && asked.param !== undefined) {
    const token = await read.tokens.find(owner, tokenId);
    if (token === undefined) throw missing('token', asked.name, asked.param);
    const row = usedToken(token, at, asked.param);
    return fresh(newMethod(token, owner, timeOf(on, at)), on, [
      { kind: 'token', mode: 'update', row },
    ]);
  }
  if (owner.environment === 'live') throw notFound(asked);
  const type = BANK_NAME.test(asked.name) ? 'us_bank_account' : 'card';
  const { host } = sources;
  const processor = sources.processors[owner.environment];
  if (host !== undefined && processor.capabilities.localTokens !== true) throw notHere(asked);
  assertTakes(processor, type, asked.param);
  const named = await tokenize(
    processor,
    { type, token: asked.name },
    { environment: owner.environment, now: at },
  );
  if (named.result !== 'tokenized') throw notFound(asked);
  if (named.facts.type !== type) throw new PaymountError('processor_error');
  const created = timeOf(on, at);
  const facts = await sealNumber(sources, named.facts, owner.environment);
  const method = newMethod(facts, owner, created);
  // Nobody holds a bank account of the test environment, so its mandate comes with its name.
  const mandate = { id: newId('mandate'), acceptedAt: created, type: 'online' } as const;
  return fresh(type === 'card' ? method : { ...method, mandate }, on, []);
}

/** The id of a token of either kind. */
export function parseTokenId(text: string): TokenId | undefined {
  return parseId('tok', text) ?? parseId('btok', text);
}

function notHere({ name, param }: NamedMethod): Error {
  return new PaymountError(
    'operation_not_supported',
    `The processor would have to be asked for ${name}, and cannot be called inside a transaction: create a payment method before it.`,
    param === undefined ? {} : { param },
  );
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

function fresh(
  method: PaymentMethod,
  on: Clocked,
  before: readonly PaymentMethodWrite[],
): FoundMethod {
  return {
    method,
    writesFor(use) {
      const row = { ...method, ...clockField(on), use };
      return { method: row, writes: [...before, { kind: 'payment_method', mode: 'insert', row }] };
    },
  };
}

/** A payment method of these facts that nobody has used yet. */
export function newMethod(facts: MethodFacts, owner: Owner, at: Date): PaymentMethod {
  const { accountId, environment } = owner;
  return {
    accountId,
    environment,
    id: newId('pm'),
    version: 1,
    ...toMethodFacts(facts),
    billingDetails: { ...emptyBillingDetails, name: holderName(facts) },
    metadata: {},
    use: { state: 'unattached' },
    created: at,
  };
}

/** The facts of a card or bank account alone, of what may be a token or payment method. */
export function toMethodFacts(from: MethodFacts): MethodFacts {
  const { processorToken, number } = from;
  const rest = { processorToken, ...(number === undefined ? {} : { number }) };
  return from.type === 'card'
    ? { type: from.type, card: from.card, ...rest }
    : { type: from.type, usBankAccount: from.usBankAccount, ...rest };
}

function holderName(facts: MethodFacts): string | null {
  return facts.type === 'card' ? null : facts.usBankAccount.accountHolderName;
}
