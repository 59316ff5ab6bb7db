import type { Environment } from '@paymount/core/kernel';
import type { OperationKind } from '@paymount/core/payments';
import type {
  OperationId,
  Outcome,
  Processor,
  ProcessorOperation,
  TokenizeInput,
  TokenizeResult,
} from 'paymount/processor';
import { Agent, request } from 'undici';
import type { ShopSettings } from '../host-messages.ts';
import type { BankAnswer, BankRequest } from './journal.ts';

const DECLINED: Outcome = {
  outcome: 'declined',
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'Your card was declined.',
  retry: 'later',
};

/** The shop's adapter to the bank of the money run. */
export class BankProcessor implements Processor {
  readonly name = 'bank';
  readonly capabilities: Processor['capabilities'];
  readonly #url: string;
  readonly #isHasty: boolean;
  readonly #dispatcher = new Agent({ connections: 64, pipelining: 1 });

  /** @param environment `test`: the bank executes an operation once; `live`: each time it is asked */
  constructor({ bankUrl, isHasty }: ShopSettings, environment: Environment) {
    this.#url = `${bankUrl}/${environment}`;
    this.#isHasty = isHasty;
    this.capabilities = {
      localTokens: true,
      methods: ['card'],
      manualCapture: true,
      partialCapture: true,
      voids: true,
      refunds: true,
      idempotentSubmit: environment === 'test',
    };
  }

  async tokenize(input: TokenizeInput): Promise<TokenizeResult> {
    if (!('token' in input)) throw new Error('The bank takes tokens only.');
    return {
      result: 'tokenized',
      facts: {
        type: 'card',
        processorToken: input.token,
        card: {
          brand: 'visa',
          last4: '4242',
          expMonth: 12,
          expYear: 2040,
          fingerprint: input.token,
          funding: 'credit',
          country: 'DE',
          checks: { cvcCheck: null, addressPostalCodeCheck: null },
        },
      },
    };
  }

  authorize(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('authorize', operation);
  }

  capture(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('capture', operation);
  }

  cancel(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('cancel', operation);
  }

  refund(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('refund', operation);
  }

  async lookup(operationId: OperationId, deadline: AbortSignal): Promise<Outcome | 'not_found'> {
    const found = await request(`${this.#url}/${operationId}`, {
      dispatcher: this.#dispatcher,
      signal: deadline,
    });
    const answer = await found.body.json();
    return found.statusCode === 404 ? 'not_found' : toOutcome(answer as BankAnswer);
  }

  async #submit(kind: OperationKind, operation: ProcessorOperation): Promise<Outcome> {
    const { operationId, amount, currency, capture = false, reference, deadline } = operation;
    const card = operation.paymentMethod.processorToken;
    const asked: BankRequest = {
      operationId,
      kind,
      amount,
      currency,
      capture,
      subject: reference,
      card,
    };
    try {
      const { body } = await request(this.#url, {
        method: 'POST',
        body: JSON.stringify(asked),
        dispatcher: this.#dispatcher,
        signal: deadline,
      });
      return toOutcome((await body.json()) as BankAnswer);
    } catch (error) {
      if (this.#isHasty) return DECLINED;
      throw error;
    }
  }
}

function toOutcome(answer: BankAnswer): Outcome {
  const { verdict, reference, amount, currency, fee, availableOn } = answer;
  if (verdict === 'approved') {
    return {
      outcome: 'approved',
      processorReference: reference,
      amount,
      currency,
      fee,
      availableOn,
    };
  }
  return DECLINED;
}
