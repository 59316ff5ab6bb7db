import type { PaymountOptions } from 'paymount';
import type { DisputeAnswer, Outcome } from 'paymount/processor';
import { type NoticeSetup, startNoticeSetup } from './notifying-bank.ts';

/** One answer to a dispute as it reached the bank, with the contents of its files as text. */
export interface BankAnswer {
  readonly verb: 'submit' | 'accept';
  readonly reference: string;
  readonly disputeReference: string;
  readonly amount: number;
  readonly texts: DisputeAnswer['evidence']['texts'];
  readonly files: Readonly<Record<string, string>>;
}

/** A host whose bank opens disputes by notices, and takes answers to them. */
export interface DisputeSetup extends NoticeSetup {
  /** All answers so far. */
  readonly answers: BankAnswer[];
  /** What the bank says to the next answers. @defaultValue it approves */
  respond: ((answer: DisputeAnswer) => Promise<Outcome>) | undefined;
  /** Makes a succeeded charge of 10,000 EUR cents. @returns its id and its reference at the bank */
  sale(source?: string): Promise<{ readonly id: string; readonly reference: string }>;
  /** Makes a charge and a chargeback of it. @returns the ids */
  chargeback(
    facts?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly charge: string; readonly dispute: string; readonly reference: string }>;
  /** Reports a dispute of a charge. */
  report(
    kind: 'dispute.alert' | 'dispute.opened' | 'dispute.closed',
    processorReference: string,
    data: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** The one dispute of a charge, as the API shows it. */
  disputeOf(charge: string): Promise<Record<string, unknown>>;
  /** The types of all events so far, about a charge and its disputes, oldest first. */
  events(): Promise<readonly string[]>;
}

let numbered = 0;

/** A reference of a dispute that no other test uses. */
export function newReference(): string {
  numbered += 1;
  return `case_${numbered}`;
}

export const OPENED = { amount: 10_000, currency: 'eur', reason: 'fraudulent' };

/** Starts a host; `close()` it in `after`. */
export async function startDisputeSetup(
  options: Partial<PaymountOptions> & { readonly takesAnswers?: false } = {},
): Promise<DisputeSetup> {
  const { takesAnswers = true, ...paymount } = options;
  const noticeSetup = await startNoticeSetup(paymount);
  const answers: BankAnswer[] = [];
  const setup: DisputeSetup = {
    ...noticeSetup,
    answers,
    respond: undefined,
    async sale(source = 'tok_visa') {
      const body = { amount: 10_000, currency: 'eur', source };
      const made = await noticeSetup.post('/v1/charges', body).expect(200);
      return { id: String(made.body.id), reference: String(made.body.processor.reference) };
    },
    async chargeback(facts = {}) {
      const { id: charge, reference } = await setup.sale();
      await setup.report('dispute.opened', reference, { ...OPENED, ...facts });
      return { charge, reference, dispute: String((await setup.disputeOf(charge))['id']) };
    },
    report: (kind, processorReference, data) =>
      noticeSetup.deliver({
        kind,
        processorReference,
        data: { disputeReference: `case_of_${processorReference}`, ...data },
      }),
    async disputeOf(charge) {
      const { body } = await noticeSetup.get(`/v1/disputes?charge=${charge}`).expect(200);
      const [dispute, ...others] = body.data;
      if (dispute === undefined || others.length > 0) throw new Error(JSON.stringify(body));
      return dispute;
    },
    async events() {
      const { body } = await noticeSetup.get('/v1/events?limit=100').expect(200);
      return body.data.map(({ type }: { type: string }) => type).reverse();
    },
  };
  const answer = async (verb: BankAnswer['verb'], sent: DisputeAnswer): Promise<Outcome> => {
    const { reference, disputeReference, amount, currency, operationId, evidence } = sent;
    const files: Record<string, string> = {};
    for (const { key, read } of evidence.files) files[key] = Buffer.from(await read()).toString();
    answers.push({ verb, reference, disputeReference, amount, texts: evidence.texts, files });
    if (setup.respond !== undefined) return setup.respond(sent);
    return { outcome: 'approved', processorReference: operationId, amount, currency };
  };
  if (takesAnswers) {
    Object.assign(noticeSetup.bank, {
      disputes: {
        submitEvidence: (sent: DisputeAnswer) => answer('submit', sent),
        accept: (sent: DisputeAnswer) => answer('accept', sent),
      },
    });
  }
  return setup;
}
