import { commit } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import { emptyBillingDetails } from '../contacts/contact.ts';
import { mergeBillingDetails } from '../contacts/contact-input.ts';
import type { Processor, TokenizeInput } from '../operations/processor.ts';
import { tokenize } from '../operations/tokenize.ts';
import type { PaymentChange, PaymentWrite } from '../payment-change.ts';
import type { PaymentStorage } from '../payment-storage.ts';
import { newMethod } from './find-method.ts';
import {
  type PaymentMethod,
  type PaymentMethodFacts,
  type Token,
  usedToken,
} from './payment-method.ts';
import type {
  PaymentMethodCreate,
  PaymentMethodUpdate,
  TokenCreate,
} from './payment-method-input.ts';
import { toPaymentMethodResource, toTokenResource } from './payment-method-resource.ts';

const TOKEN_LIFE_MS = 15 * 60 * 1000;

export interface PaymentMethodPorts {
  readonly storage: PaymentStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly clock: Clock;
}

/** Cards and tokens. A card number goes to the processor and is never stored. */
export class PaymentMethodService {
  readonly #ports: PaymentMethodPorts;

  constructor(ports: PaymentMethodPorts) {
    this.#ports = ports;
  }

  /**
   * Creates a payment method from card data (test mode), a `tok_`, or the processor's own token.
   * @throws PaymountError `raw_card_data_not_allowed`, card codes, `resource_missing`,
   *   `token_already_used`, `processor_error`
   */
  async create(call: Call, input: PaymentMethodCreate): Promise<PaymentMethod> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const at = clock.now();
      const found = await this.#facts(call, input.card, at);
      const row: PaymentMethod = {
        ...newMethod(found.facts, ownerOf(call), at),
        billingDetails: mergeBillingDetails(emptyBillingDetails, input.billing_details),
        metadata: mergeMetadata({}, input.metadata),
      };
      const change: PaymentChange = {
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

  /** @throws PaymountError `resource_missing`, `metadata_limit_exceeded` */
  async update(call: Call, id: string, input: PaymentMethodUpdate): Promise<PaymentMethod> {
    return commit(this.#ports.storage.changes, async () => {
      const method = await this.retrieve(call, id);
      const row: PaymentMethod = {
        ...method,
        version: method.version + 1,
        card: {
          ...method.card,
          expMonth: input.card?.exp_month ?? method.card.expMonth,
          expYear: input.card?.exp_year ?? method.card.expYear,
        },
        billingDetails: mergeBillingDetails(method.billingDetails, input.billing_details),
        metadata: mergeMetadata(method.metadata, input.metadata),
      };
      const change: PaymentChange = {
        ...ownerOf(call),
        at: this.#ports.clock.now(),
        writes: [{ kind: 'payment_method', mode: 'update', row }],
        ...resourceFields(call, toPaymentMethodResource(row)),
      };
      return { change, result: row };
    });
  }

  /** Single use, 15 minutes. @throws PaymountError `raw_card_data_not_allowed`, card codes */
  async createToken(call: Call, input: TokenCreate): Promise<Token> {
    return commit(this.#ports.storage.changes, async () => {
      const at = this.#ports.clock.now();
      const { type, card, processorToken } = await this.#tokenize(call, cardInput(input.card), at);
      const row: Token = {
        ...ownerOf(call),
        id: newId('tok'),
        version: 1,
        type,
        card,
        processorToken,
        used: false,
        created: at,
        expiresAt: new Date(at.getTime() + TOKEN_LIFE_MS),
      };
      const change: PaymentChange = {
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
    const { tokens } = this.#ports.storage.read;
    return findOrThrow({ noun: 'token', prefix: 'tok' }, id, (tokenId) =>
      tokens.find(ownerOf(call), tokenId),
    );
  }

  async #facts(
    call: Call,
    card: PaymentMethodCreate['card'],
    at: Date,
  ): Promise<{ facts: PaymentMethodFacts; writes: readonly PaymentWrite[] }> {
    if (!('token' in card)) {
      return { facts: await this.#tokenize(call, cardInput(card), at), writes: [] };
    }
    const tokenId = parseId('tok', card.token);
    if (tokenId === undefined) {
      const input: TokenizeInput = { type: 'card', token: card.token };
      return { facts: await this.#tokenize(call, input, at), writes: [] };
    }
    const token = await this.#ports.storage.read.tokens.find(ownerOf(call), tokenId);
    if (token === undefined) throw missing('token', card.token, 'card[token]');
    const row = usedToken(token, at, 'card[token]');
    return { facts: token, writes: [{ kind: 'token', mode: 'update', row }] };
  }

  async #tokenize(call: Call, input: TokenizeInput, at: Date): Promise<PaymentMethodFacts> {
    const { environment } = call.principal;
    if ('card' in input && environment === 'live') {
      throw new PaymountError('raw_card_data_not_allowed', undefined, { param: 'card[number]' });
    }
    if (this.#ports.storage.host !== undefined) {
      throw new PaymountError(
        'operation_not_supported',
        'A processor cannot be called inside a transaction: create the payment method before it.',
      );
    }
    const answer = await tokenize(this.#ports.processors[environment], input, {
      environment,
      now: at,
    });
    switch (answer.result) {
      case 'tokenized':
        return answer.facts;
      case 'refused':
        throw new PaymountError(answer.code, answer.message, {
          param: answer.param ?? 'card[number]',
        });
      case 'unknown_token':
        throw missing('token', 'token' in input ? input.token : '', 'card[token]');
    }
  }
}

function cardInput(card: TokenCreate['card']): TokenizeInput {
  return {
    type: 'card',
    card: {
      number: card.number.replaceAll(' ', ''),
      expMonth: card.exp_month,
      expYear: card.exp_year,
      ...(card.cvc === undefined ? {} : { cvc: card.cvc }),
    },
  };
}
