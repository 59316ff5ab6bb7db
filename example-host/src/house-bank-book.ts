import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';

/** A request to the bank. The caller chooses the id, so it is safe to repeat a request. */
export interface BankRequest {
  readonly operationId: string;
  /** Minor units. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
}

/** The bank's decision; the same for every repetition of a request. */
export interface BankAnswer extends BankRequest {
  readonly id: string;
  readonly state: 'approved' | 'declined' | 'refused';
  readonly reason: string;
}

export interface BankCard {
  readonly brand: string;
  readonly last4: string;
  readonly declines?: string;
  /** Charged, but the response comes too late. */
  readonly slow?: boolean;
}

/** The bank's test cards, by token. */
export const BANK_CARDS: Readonly<Record<string, BankCard>> = {
  house_visa: { brand: 'visa', last4: '4242' },
  house_mastercard: { brand: 'mastercard', last4: '4444' },
  house_broke: { brand: 'visa', last4: '9995', declines: 'insufficient_funds' },
  house_stolen: { brand: 'visa', last4: '9979', declines: 'stolen_card' },
  house_slow: { brand: 'visa', last4: '0408', slow: true },
};

export type FollowUp = 'captures' | 'voids' | 'refunds';

interface Payment {
  readonly id: string;
  readonly currency: string;
  readonly amount: number;
  readonly captured: number;
  readonly refunded: number;
  readonly voided: boolean;
}

const TABLES = `
CREATE SCHEMA IF NOT EXISTS house_bank;
CREATE TABLE IF NOT EXISTS house_bank.payments (
  id text PRIMARY KEY,
  currency text NOT NULL,
  amount integer NOT NULL,
  captured integer NOT NULL,
  refunded integer NOT NULL,
  voided boolean NOT NULL,
  CHECK (refunded <= captured AND captured <= amount)
);
CREATE TABLE IF NOT EXISTS house_bank.operations (id text PRIMARY KEY, answer jsonb);
`;

/** The bank's own books, so that a shop that lost its state can still look up a request. */
export class HouseBankBook {
  readonly #database: Knex;

  constructor(database: Knex) {
    this.#database = database;
  }

  async createTables(): Promise<void> {
    await this.#database.raw(TABLES);
  }

  /** The outcome of a request; undefined if the bank never got it. */
  async find(operationId: string): Promise<BankAnswer | undefined> {
    const found = await this.#database<{ id: string; answer: BankAnswer | null }>(
      'house_bank.operations',
    )
      .where({ id: operationId })
      .first();
    return found?.answer ?? undefined;
  }

  /** Reserves an amount on a card, and captures it if `capture` is set. */
  pay(request: BankRequest, card: BankCard, capture: boolean): Promise<BankAnswer> {
    return this.#once(request, async (trx, id) => {
      if (card.declines !== undefined) return { state: 'declined', reason: card.declines };
      const { amount, currency } = request;
      const captured = capture ? amount : 0;
      const payment = { id, currency, amount, captured, refunded: 0, voided: false };
      await trx('house_bank.payments').insert(payment);
      return APPROVED;
    });
  }

  /** Captures, voids or refunds a payment. */
  follow(request: BankRequest, kind: FollowUp, paymentId: string): Promise<BankAnswer> {
    return this.#once(request, async (trx) => {
      const payments = () => trx<Payment>('house_bank.payments').where({ id: paymentId });
      const payment = await payments().forUpdate().first();
      if (payment === undefined) return { state: 'refused', reason: 'no_such_payment' };
      const change = CHANGES[kind](payment, request);
      if (change === undefined) return { state: 'refused', reason: 'not_possible_now' };
      await payments().update(change);
      return APPROVED;
    });
  }

  /** Of concurrent requests with one id, one is executed; the others wait for its result. */
  async #once(
    request: BankRequest,
    execute: (trx: Knex.Transaction, id: string) => Promise<Pick<BankAnswer, 'state' | 'reason'>>,
  ): Promise<BankAnswer> {
    const { operationId } = request;
    const id = `hb_${randomUUID()}`;
    const fresh = await this.#database.transaction(async (trx) => {
      const first = await trx('house_bank.operations')
        .insert({ id: operationId })
        .onConflict('id')
        .ignore()
        .returning('id');
      if (first.length === 0) return undefined;
      const answer: BankAnswer = { ...request, id, ...(await execute(trx, id)) };
      await trx('house_bank.operations').where({ id: operationId }).update({ answer });
      return answer;
    });
    const answer = fresh ?? (await this.find(operationId));
    if (answer === undefined) throw new Error(`The books have lost ${operationId}.`);
    return answer;
  }
}

const APPROVED = { state: 'approved', reason: '' } as const;

/** The effect of each follow-up request; undefined if the payment does not allow it. */
const CHANGES: Readonly<
  Record<FollowUp, (payment: Payment, request: BankRequest) => Partial<Payment> | undefined>
> = {
  captures: ({ voided, captured, amount, currency }, request) =>
    !voided && captured === 0 && request.amount <= amount && request.currency === currency
      ? { captured: request.amount }
      : undefined,
  voids: ({ voided, captured }) => (!voided && captured === 0 ? { voided: true } : undefined),
  refunds: ({ captured, refunded, currency }, request) =>
    refunded + request.amount <= captured && request.currency === currency
      ? { refunded: refunded + request.amount }
      : undefined,
};
