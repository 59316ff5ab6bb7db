import type { OperationKind } from '@paymount/core/payments';
import type {
  DisputeAnswer,
  Notice,
  NoticeSource,
  OperationId,
  Outcome,
  Processor,
  TokenizeResult,
} from 'paymount/processor';
import type { FakeClock } from '../../support/clock.ts';

type Sent = Pick<
  Parameters<Processor['authorize']>[0],
  'operationId' | 'amount' | 'currency' | 'reference'
> & {
  readonly evidence?: DisputeAnswer['evidence'];
  readonly paymentMethod?: Parameters<Processor['authorize']>[0]['paymentMethod'];
};

/** What the bank does with one operation. */
export interface Decision {
  readonly verdict: 'approved' | 'declined';
  /** True: it is executed, and the caller gets no answer. */
  readonly isSilent?: true;
  /** How long the answer stays `pending`. @defaultValue 0 */
  readonly afterMs?: number;
  /** What it tells to have kept, minor units. @defaultValue 0 */
  readonly fee?: number;
}

/** One operation that the bank has executed. */
export interface Line extends Decision {
  readonly kind: OperationKind;
  readonly sent: Sent;
  readonly reference: string;
  /** The end of `pending`, by the clock. */
  readonly knownAtMs: number;
}

const APPROVED: Decision = { verdict: 'approved' };

/** A bank of a deep test: it does what the test says, and keeps a journal. It is never wrong. */
export class Bank implements Processor {
  readonly name = 'bank';
  readonly capabilities: Processor['capabilities'] = {
    methods: ['card', 'us_bank_account'],
    manualCapture: true,
    partialCapture: true,
    voids: true,
    refunds: true,
    payouts: true,
    idempotentSubmit: true,
  };
  readonly disputes = {
    submitEvidence: (answer: DisputeAnswer) => this.#submit('submit_evidence', answer),
    accept: (answer: DisputeAnswer) => this.#submit('accept_dispute', answer),
  };
  /** Operations by the id of what they are about, oldest first. */
  readonly journal = new Map<string, readonly Line[]>();
  /** What it does with the next operation, unless that is planned. */
  next: Decision = APPROVED;
  /** What it does with operations that a worker sends, by the id of what they are about. */
  readonly planned = new Map<string, Decision>();
  /** Payment methods, by their tokens, whose charges it declines unless they are planned. */
  readonly declining = new Set<string>();
  /** How long the next bank debit takes to clear. */
  clearingMs = 0;
  readonly #byId = new Map<OperationId, Line>();
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async tokenize(input: Parameters<Processor['tokenize']>[0]): Promise<TokenizeResult> {
    if ('usBankAccount' in input) {
      const { accountNumber, ...facts } = input.usBankAccount;
      const usBankAccount = { ...facts, accountNumber, last4: accountNumber.slice(-4) };
      const processorToken = `account_${accountNumber}`;
      const type = 'us_bank_account';
      return { result: 'tokenized', facts: { type, usBankAccount, processorToken } };
    }
    if (!('token' in input)) throw new Error('The bank takes cards as tokens only.');
    return {
      result: 'tokenized',
      facts: {
        type: 'card',
        processorToken: input.token,
        card: {
          brand: 'visa',
          last4: '4242',
          expMonth: 12,
          expYear: 2199,
          funding: 'credit',
          fingerprint: input.token,
          country: 'DE',
          checks: { cvcCheck: null, addressPostalCodeCheck: null },
        },
      },
    };
  }

  authorize(sent: Sent): Promise<Outcome> {
    return this.#submit('authorize', sent);
  }

  capture(sent: Sent): Promise<Outcome> {
    return this.#submit('capture', sent);
  }

  cancel(sent: Sent): Promise<Outcome> {
    return this.#submit('cancel', sent);
  }

  refund(sent: Sent): Promise<Outcome> {
    return this.#submit('refund', sent);
  }

  payout(sent: Sent): Promise<Outcome> {
    return this.#submit('payout', sent);
  }

  async lookup(id: OperationId): Promise<Outcome | 'not_found'> {
    const line = this.#byId.get(id);
    return line === undefined ? 'not_found' : this.#toOutcome(line);
  }

  ingest(source: NoticeSource): AsyncIterable<Notice> {
    return read(source);
  }

  async #submit(kind: OperationKind, sent: Sent): Promise<Outcome> {
    const known = this.#byId.get(sent.operationId);
    const line = known ?? this.#execute(kind, sent);
    if (line.isSilent && known === undefined) throw new Error('The bank hung up.');
    return this.#toOutcome(line);
  }

  #execute(kind: OperationKind, sent: Sent): Line {
    const planned = this.planned.get(sent.reference) ?? this.#declined(kind, sent);
    const decision = planned ?? this.next;
    if (planned === undefined) this.next = APPROVED;
    const knownAtMs = this.#clock.now().getTime() + (decision.afterMs ?? this.clearingMs);
    const line = { ...decision, kind, sent, reference: `bank_${sent.operationId}`, knownAtMs };
    this.#byId.set(sent.operationId, line);
    this.journal.set(sent.reference, [...(this.journal.get(sent.reference) ?? []), line]);
    return line;
  }

  #declined(kind: OperationKind, { paymentMethod }: Sent): Decision | undefined {
    const token = paymentMethod?.processorToken;
    const isDeclined = kind === 'authorize' && token !== undefined && this.declining.has(token);
    return isDeclined ? { verdict: 'declined' } : undefined;
  }

  #toOutcome({ verdict, reference, sent, knownAtMs, fee }: Line): Outcome {
    const { amount, currency } = sent;
    if (knownAtMs > this.#clock.now().getTime()) {
      const expectedBy = new Date(knownAtMs).toISOString();
      return { outcome: 'pending', processorReference: reference, expectedBy };
    }
    if (verdict === 'approved') {
      const told = { amount, currency, ...(fee && { fee }) };
      return { outcome: 'approved', processorReference: reference, ...told };
    }
    return {
      outcome: 'declined',
      code: 'card_declined',
      declineCode: 'insufficient_funds',
      retry: 'later',
      message: 'Your card was declined.',
    };
  }
}

async function* read(source: NoticeSource): AsyncIterable<Notice> {
  if (!('body' in source)) throw new Error('The bank sends requests.');
  // What an adapter yields is checked like any input.
  yield* JSON.parse(source.body.toString()) as Notice[];
}
