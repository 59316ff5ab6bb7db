import { commit } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { newId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import { mergeBillingDetails } from '../contacts/contact-input.ts';
import { newMethod, parseTokenId, toMethodFacts } from './find-method.ts';
import {
  assertChangeable,
  type MethodFacts,
  type PaymentMethod,
  type Token,
  usedToken,
} from './payment-method.ts';
import type {
  PaymentMethodCreate,
  PaymentMethodUpdate,
  TokenCreate,
} from './payment-method-input.ts';
import { toPaymentMethodResource, toTokenResource } from './payment-method-resource.ts';
import type {
  PaymentMethodChange,
  PaymentMethodStorage,
  PaymentMethodWrite,
} from './payment-method-storage.ts';
import { type SentMethod, toMandate, toSentMethod, toSentToken } from './sent-method.ts';
import { type TokenizePorts, tokenizeMethod } from './tokenize-method.ts';

const TOKEN_LIFE_MS = 15 * 60 * 1000;

export interface PaymentMethodPorts extends TokenizePorts {
  readonly storage: PaymentMethodStorage;
  readonly clock: Clock;
}

/**
 * Cards, bank accounts and tokens. A card number goes to the processor and is never stored; that of
 * a bank account is stored sealed, if the processor wants it with each debit.
 */
export class PaymentMethodService {
  readonly #ports: PaymentMethodPorts;

  constructor(ports: PaymentMethodPorts) {
    this.#ports = ports;
  }

  /**
   * Creates a payment method from card data (test mode), a bank account, a `tok_` or `btok_`, or
   * the processor's own token.
   * @throws PaymountError `raw_card_data_not_allowed`, card codes, `parameter_missing`,
   *   `parameters_exclusive`, `resource_missing`, `token_already_used`, `processor_error`, and what
   *   `tokenizeMethod` throws
   */
  async create(call: Call, input: PaymentMethodCreate): Promise<PaymentMethod> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const at = clock.now();
      const mandate = toMandate(input.mandate_data, at);
      const found = await this.#facts(call, toSentMethod(input), at);
      const fresh = newMethod(found.facts, ownerOf(call), at);
      const row: PaymentMethod = {
        ...fresh,
        ...mandate,
        billingDetails: mergeBillingDetails(fresh.billingDetails, input.billing_details),
        metadata: mergeMetadata({}, input.metadata),
      };
      const change: PaymentMethodChange = {
        ...ownerOf(call),
        at,
        writes: [...found.writes, { kind: 'payment_method', mode: 'insert', row }],
        ...resourceFields(call, toPaymentMethodResource(row)),
      };
      return { change, result: row };
    });
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<PaymentMethod> {
    const { paymentMethods } = this.#ports.storage.read;
    return findOrThrow({ noun: 'payment method', prefix: 'pm' }, id, (methodId) =>
      paymentMethods.find(ownerOf(call), methodId),
    );
  }

  /** The payment methods of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly PaymentMethod[]> {
    return this.#ports.storage.read.paymentMethods.findMany(ownerOf(call), idsAmong('pm', ids));
  }

  /**
   * @throws PaymountError `resource_missing`, `metadata_limit_exceeded`, `parameters_exclusive` for
   *   an expiry of a bank account, `invalid_expiry_year` for one in the past,
   *   `payment_method_unusable` for one that was detached or erased
   */
  async update(call: Call, id: string, input: PaymentMethodUpdate): Promise<PaymentMethod> {
    return commit(this.#ports.storage.changes, async () => {
      const method = await this.retrieve(call, id);
      assertChangeable(method);
      const at = this.#ports.clock.now();
      const row: PaymentMethod = {
        ...withExpiry(method, input.card, at),
        version: method.version + 1,
        billingDetails: mergeBillingDetails(method.billingDetails, input.billing_details),
        metadata: mergeMetadata(method.metadata, input.metadata),
      };
      const change: PaymentMethodChange = {
        ...ownerOf(call),
        at,
        writes: [{ kind: 'payment_method', mode: 'update', row }],
        ...resourceFields(call, toPaymentMethodResource(row)),
      };
      return { change, result: row };
    });
  }

  /**
   * Single use, 15 minutes: `tok_` of a card, `btok_` of a bank account.
   * @throws PaymountError as `create` does
   */
  async createToken(call: Call, input: TokenCreate): Promise<Token> {
    return commit(this.#ports.storage.changes, async () => {
      const at = this.#ports.clock.now();
      const facts = await this.#tokenize(call, toSentToken(input), at);
      const row: Token = {
        ...ownerOf(call),
        id: facts.type === 'card' ? newId('tok') : newId('btok'),
        version: 1,
        ...facts,
        used: false,
        created: at,
        expiresAt: new Date(at.getTime() + TOKEN_LIFE_MS),
      };
      const change: PaymentMethodChange = {
        ...ownerOf(call),
        at,
        writes: [{ kind: 'token', mode: 'insert', row }],
        ...resourceFields(call, toTokenResource(row)),
      };
      return { change, result: row };
    });
  }

  /** @throws PaymountError `resource_missing` */
  async retrieveToken(call: Call, id: string): Promise<Token> {
    const tokenId = parseTokenId(id);
    const found = tokenId && (await this.#ports.storage.read.tokens.find(ownerOf(call), tokenId));
    if (found === undefined) throw missing('token', id);
    return found;
  }

  async #facts(
    call: Call,
    method: SentMethod,
    at: Date,
  ): Promise<{ facts: MethodFacts; writes: readonly PaymentMethodWrite[] }> {
    const { input, sent } = method;
    const tokenId = 'token' in input ? parseTokenId(input.token) : undefined;
    if (tokenId === undefined) return { facts: await this.#tokenize(call, method, at), writes: [] };
    const token = await this.#ports.storage.read.tokens.find(ownerOf(call), tokenId);
    if (token?.type !== input.type) throw missing('token', tokenId, sent.token);
    const row = usedToken(token, at, sent.token);
    return { facts: toMethodFacts(token), writes: [{ kind: 'token', mode: 'update', row }] };
  }

  async #tokenize(call: Call, { input, sent }: SentMethod, at: Date): Promise<MethodFacts> {
    if (this.#ports.storage.host !== undefined) {
      throw new PaymountError(
        'operation_not_supported',
        'A processor cannot be called inside a transaction: create the payment method before it.',
      );
    }
    return tokenizeMethod(this.#ports, input, call.principal, { ...sent, at });
  }
}

function withExpiry(
  method: PaymentMethod,
  card: PaymentMethodUpdate['card'],
  now: Date,
): PaymentMethod {
  if (card === undefined) return method;
  if (method.type === 'us_bank_account') {
    const message = 'A bank account does not expire.';
    throw new PaymountError('parameters_exclusive', message, { param: 'card' });
  }
  const { exp_month: expMonth = method.card.expMonth, exp_year: expYear = method.card.expYear } =
    card;
  // A card is valid until the end of its month.
  if (Date.UTC(expYear, expMonth) <= now.getTime()) {
    const param = card.exp_year === undefined ? 'card[exp_month]' : 'card[exp_year]';
    throw new PaymountError('invalid_expiry_year', undefined, { param });
  }
  return { ...method, card: { ...method.card, expMonth, expYear } };
}
