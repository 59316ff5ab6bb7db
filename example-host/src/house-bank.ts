import {
  NotSentError,
  type OperationId,
  type Outcome,
  type Processor,
  type ProcessorOperation,
  type TokenizeInput,
  type TokenizeResult,
} from 'paymount/processor';

/** The time limit of a card look-up; operations have their own deadline. */
const CARD_LIMIT_MS = 10_000;
/** Errors while connecting: nothing was sent. A later reset is different. */
const NEVER_LEFT = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** The shop's adapter to its bank, for the live environment. */
export class HouseBank implements Processor {
  readonly name = 'house_bank';
  readonly capabilities = {
    methods: ['card'],
    manualCapture: true,
    partialCapture: true,
    voids: true,
    refunds: true,
    idempotentSubmit: true,
  } as const;
  readonly #url: string;
  readonly #key: string;

  /**
   * @param url the address of the bank, without a trailing slash
   * @param key the shop's key at the bank
   */
  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async tokenize(input: TokenizeInput): Promise<TokenizeResult> {
    if (!('token' in input)) throw new Error('The bank takes tokens only.');
    const { token } = input;
    const path = `/cards/${encodeURIComponent(token)}`;
    const response = await this.#call('GET', path, { signal: AbortSignal.timeout(CARD_LIMIT_MS) });
    if (response.status === 404) return { result: 'unknown_token' };
    const card = await readFields(response);
    return {
      result: 'tokenized',
      facts: {
        type: 'card',
        processorToken: token,
        card: {
          brand: requireText(card, 'brand'),
          last4: requireText(card, 'last4'),
          expMonth: 12,
          expYear: 2099,
          fingerprint: token,
          funding: 'credit',
          country: 'DE',
          checks: { cvcCheck: null, addressPostalCodeCheck: null },
        },
      },
    };
  }

  authorize(operation: ProcessorOperation): Promise<Outcome> {
    const { paymentMethod, capture = false } = operation;
    return this.#submit('/payments', operation, { card: paymentMethod.processorToken, capture });
  }

  capture(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit(paymentPath(operation, 'captures'), operation);
  }

  cancel(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit(paymentPath(operation, 'voids'), operation);
  }

  refund(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit(paymentPath(operation, 'refunds'), operation);
  }

  async lookup(operationId: OperationId, deadline: AbortSignal): Promise<Outcome | 'not_found'> {
    const response = await this.#call('GET', `/operations/${operationId}`, { signal: deadline });
    return response.status === 404 ? 'not_found' : toOutcome(await readFields(response));
  }

  async #submit(path: string, operation: ProcessorOperation, more: object = {}): Promise<Outcome> {
    const { operationId, amount, currency, deadline } = operation;
    if (deadline.aborted) throw new NotSentError('The deadline passed before the request.');
    const response = await this.#call('POST', path, {
      body: JSON.stringify({ amount, currency, ...more }),
      // The bank executes one id once, and `lookup` asks for it.
      headers: { 'content-type': 'application/json', 'idempotency-key': operationId },
      signal: deadline,
    });
    return toOutcome(await readFields(response));
  }

  async #call(
    method: string,
    path: string,
    init: { body?: string; headers?: Record<string, string>; signal: AbortSignal },
  ): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${this.#key}` };
    try {
      return await fetch(this.#url + path, { ...init, method, headers });
    } catch (error) {
      if (neverLeft(error)) throw new NotSentError('The bank could not be reached.');
      // After any other error the request may have arrived, so the outcome is unknown.
      throw error;
    }
  }
}

type Fields = Readonly<Record<string, unknown>>;

function toOutcome(answer: Fields): Outcome {
  const reason = requireText(answer, 'reason');
  switch (answer['state']) {
    case 'approved':
      return {
        outcome: 'approved',
        processorReference: requireText(answer, 'id'),
        amount: Number(answer['amount']),
        currency: requireText(answer, 'currency'),
      };
    case 'declined':
      return {
        outcome: 'declined',
        code: 'card_declined',
        declineCode: reason,
        message: 'Your card was declined.',
        retry: reason === 'stolen_card' ? 'never' : 'later',
      };
    case 'refused':
      return {
        outcome: 'rejected',
        code: 'processing_error',
        message: `The bank says: ${reason}.`,
      };
    default:
      throw new Error('The bank answered something else than was agreed.');
  }
}

function paymentPath({ previous }: ProcessorOperation, kind: string): string {
  return `/payments/${encodeURIComponent(previous?.processorReference ?? '')}/${kind}`;
}

/** Anything but a clear response throws, and so counts as unknown. */
async function readFields(response: Response): Promise<Fields> {
  if (!response.ok) throw new Error(`The bank answered ${response.status}.`);
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new Error('The bank answered no object.');
  return { ...body };
}

function requireText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new Error(`The bank's answer lacks ${name}.`);
  return value;
}

function neverLeft(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error) || !('code' in cause)) return false;
  return NEVER_LEFT.includes(String(cause.code));
}
