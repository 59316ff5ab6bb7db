import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import { assertCan, assertTakes } from '../processor/assert-can.ts';
import type { Processor } from '../processor/processor.ts';
import type {
  PaymentMethodFacts,
  TokenizeInput,
  TokenizeRefusal,
  TokenizeResult,
} from '../processor/tokenization.ts';
import { debitNumberContext, type MethodFacts } from './payment-method.ts';
import { assertRoutingNumber } from './routing-number.ts';
import { tokenize } from './tokenize.ts';

/** What turns a card or bank account into facts that may be stored. */
export interface TokenizePorts {
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly sealer: Pick<Sealer, 'seal'>;
  /** A keyed hash of an account number: equal for equal numbers, and useless without the key. */
  readonly fingerprintNumber: (accountNumber: string) => string;
}

/** The parameters that the card or bank account was sent in, for messages. */
export interface SentIn {
  readonly number: string;
  readonly token: string;
}

/**
 * Asks the processor about a card or bank account, and seals the number of a bank account that the
 * processor wants with each debit.
 * @throws PaymountError card codes, `operation_not_supported`, `routing_number_invalid`,
 *   `test_number_required`, `resource_missing`, `processor_error`, `sealing_keys_missing`,
 *   `unavailable`
 */
export async function tokenizeMethod(
  ports: TokenizePorts,
  input: TokenizeInput,
  { environment }: Pick<Owner, 'environment'>,
  sent: SentIn & { readonly at: Date },
): Promise<MethodFacts> {
  const processor = ports.processors[environment];
  assertTaken(processor, input, environment, sent);
  const answer = await tokenize(processor, input, { environment, now: sent.at });
  switch (answer.result) {
    case 'tokenized':
      assertType(answer.facts, input);
      return sealNumber(ports, answer.facts, environment);
    case 'refused':
      throw new PaymountError(answer.code, answer.message, { param: paramOf(answer, sent) });
    case 'unknown_token':
      throw missing('token', 'token' in input ? input.token : '', sent.token);
  }
}

/** What is stored of the processor's answer. @throws PaymountError as `Sealer.seal` does */
export async function sealNumber(
  { sealer, fingerprintNumber }: Pick<TokenizePorts, 'sealer' | 'fingerprintNumber'>,
  facts: PaymentMethodFacts,
  environment: Environment,
): Promise<MethodFacts> {
  if (facts.type === 'card') return facts;
  const { accountNumber, bankName, accountHolderName, ...shown } = facts.usBankAccount;
  const named = `${accountNumber ?? facts.processorToken ?? ''}`;
  const fingerprint =
    accountNumber === undefined && shown.fingerprint !== undefined
      ? shown.fingerprint
      : fingerprintNumber(['US', shown.routingNumber, named].join(' '));
  const processorToken = facts.processorToken ?? `bank_${fingerprint}`;
  const stored: MethodFacts = {
    type: 'us_bank_account',
    usBankAccount: {
      ...shown,
      // A name that was blank is none.
      bankName: bankName || null,
      accountHolderName: accountHolderName || null,
      fingerprint,
    },
    processorToken,
  };
  if (accountNumber === undefined) return stored;
  const context = debitNumberContext(processorToken);
  return { ...stored, number: await sealer.seal(accountNumber, context, environment) };
}

function paramOf(
  { code, param }: Extract<TokenizeResult, { result: 'refused' }>,
  sent: SentIn,
): string {
  if (code === 'routing_number_invalid') return sent.number.replace('account_', 'routing_');
  const field = CARD_FIELDS[code];
  return param ?? (field === undefined ? sent.number : sent.number.replace('number', field));
}

/** The fields of a card that are refused, other than its number. */
const CARD_FIELDS: Readonly<Partial<Record<TokenizeRefusal, string>>> = {
  invalid_expiry_month: 'exp_month',
  invalid_expiry_year: 'exp_year',
  invalid_cvc: 'cvc',
};

/** An adapter that answers with another type is faulty. */
function assertType(facts: PaymentMethodFacts, input: TokenizeInput): void {
  if (facts.type === input.type) return;
  const cause = new TypeError(`tokenize answered a ${facts.type} for a ${input.type}.`);
  throw new PaymountError('processor_error', undefined, { cause });
}

function assertTaken(
  processor: Processor,
  input: TokenizeInput,
  environment: Environment,
  sent: SentIn,
): void {
  const param = 'token' in input ? sent.token : sent.number;
  assertTakes(processor, input.type, param);
  if ('token' in input) return;
  if (input.type === 'card') {
    if (environment === 'test') return;
    throw new PaymountError('raw_card_data_not_allowed', undefined, { param });
  }
  if (environment === 'live') assertCan(processor, 'takeBankNumber', param);
  const at = sent.number.replace('account_', 'routing_');
  assertRoutingNumber(input.usBankAccount.routingNumber, at);
}
