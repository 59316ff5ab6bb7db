import type { Environment } from '@paymount/core/kernel';
import type { OperationKind } from '@paymount/core/payments';
import type {
  DisputeAnswer,
  Notice,
  NoticeSource,
  OperationId,
  Outcome,
  PayoutOperation,
  Processor,
  ProcessorOperation,
  TokenizeInput,
  TokenizeResult,
} from 'paymount/processor';
import { Agent, request } from 'undici';
import type { ShopSettings } from '../host-messages.ts';
import type { BankAnswer, BankRequest } from './journal.ts';

const DECLINED = {
  outcome: 'declined',
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'Your card was declined.',
  retry: 'later',
} as const satisfies Outcome;

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
      methods: ['card', 'us_bank_account'],
      manualCapture: true,
      partialCapture: true,
      voids: true,
      refunds: true,
      payouts: true,
      rawBankAccounts: true,
      idempotentSubmit: environment === 'test',
    };
  }

  async tokenize(input: TokenizeInput): Promise<TokenizeResult> {
    if (!('token' in input)) throw new Error('The bank takes tokens only.');
    if (input.type === 'us_bank_account') {
      return {
        result: 'tokenized',
        facts: {
          type: 'us_bank_account',
          processorToken: input.token,
          usBankAccount: {
            routingNumber: '110000000',
            accountType: 'checking',
            accountHolderType: 'individual',
            last4: '6789',
            fingerprint: input.token,
          },
        },
      };
    }
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

  readonly disputes = {
    submitEvidence: (answer: DisputeAnswer) => this.#submit('submit_evidence', toAsked(answer)),
    accept: (answer: DisputeAnswer) => this.#submit('accept_dispute', toAsked(answer)),
  };

  authorize(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('authorize', ofPayment(operation));
  }

  capture(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('capture', ofPayment(operation));
  }

  cancel(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('cancel', ofPayment(operation));
  }

  refund(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('refund', ofPayment(operation));
  }

  payout(operation: PayoutOperation): Promise<Outcome> {
    const account = operation.destination.accountNumber;
    return this.#submit('payout', { ...toAsked(operation), account });
  }

  /** Requests only: this bank sends no files. */
  async *ingest(source: NoticeSource): AsyncGenerator<Notice> {
    if (!('body' in source)) throw new Error('The bank sends requests.');
    yield* JSON.parse(source.body.toString()) as Notice[];
  }

  async lookup(operationId: OperationId, deadline: AbortSignal): Promise<Outcome | 'not_found'> {
    const found = await request(`${this.#url}/${operationId}`, {
      dispatcher: this.#dispatcher,
      signal: deadline,
    });
    const answer = await found.body.json();
    return found.statusCode === 404 ? 'not_found' : toOutcome(answer as BankAnswer);
  }

  async #submit(kind: OperationKind, { deadline, ...asked }: Asked): Promise<Outcome> {
    const sent: BankRequest = { ...asked, kind };
    try {
      const { body } = await request(this.#url, {
        method: 'POST',
        body: JSON.stringify(sent),
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

type Asked = Omit<BankRequest, 'kind'> & { readonly deadline: AbortSignal };

function toAsked({
  operationId,
  amount,
  currency,
  reference: subject,
  deadline,
}: Pick<
  ProcessorOperation,
  'operationId' | 'amount' | 'currency' | 'reference' | 'deadline'
>): Asked {
  return { operationId, amount, currency, subject, deadline, capture: false, account: '' };
}

function ofPayment(operation: ProcessorOperation): Asked {
  const account = operation.paymentMethod.processorToken;
  return { ...toAsked(operation), capture: operation.capture ?? false, account };
}

function toOutcome(answer: BankAnswer): Outcome {
  const { verdict, reference, amount, currency, fee, availableOn, expectedBy } = answer;
  const { returnCode } = answer;
  if (verdict === 'pending') {
    return { outcome: 'pending', processorReference: reference, expectedBy };
  }
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
  if (returnCode === undefined) return DECLINED;
  // The notice of the return may name the debit by this reference alone.
  return { ...DECLINED, declineCode: returnCode, processorReference: reference };
}
