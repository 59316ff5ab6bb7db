import { newId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { TokenizeInput } from '../processor/tokenization.ts';
import type { Mandate } from './payment-method.ts';
import type { PaymentMethodCreate, TokenCreate } from './payment-method-input.ts';
import type { SentIn } from './tokenize-method.ts';

/** A card or bank account that a caller sent: its data or a token, and where. */
export interface SentMethod {
  readonly input: TokenizeInput;
  readonly sent: SentIn;
}

/** A mandate may be accepted on a machine whose clock is a little ahead. */
const CLOCK_SKEW_MS = 5 * 60_000;

type Card = Exclude<NonNullable<TokenCreate['card']>, undefined>;
type BankNumbers = Pick<
  NonNullable<TokenCreate['bank_account']>,
  'account_number' | 'routing_number' | 'account_type' | 'account_holder_type'
> & { readonly account_holder_name?: string | undefined };

/**
 * Reads the card or bank account of a new payment method.
 * @throws PaymountError `parameter_missing`, `parameters_exclusive`
 */
export function toSentMethod(create: PaymentMethodCreate): SentMethod {
  const { type, card, us_bank_account: bank } = create;
  const other = type === 'card' ? 'us_bank_account' : 'card';
  if ((type === 'card' ? bank : card) !== undefined) {
    const message = `A payment method of type ${type} has no ${other}.`;
    throw new PaymountError('parameters_exclusive', message, { param: other });
  }
  if (type === 'card') {
    if (create.mandate_data !== undefined) {
      const message = 'Only a bank account has a mandate.';
      throw new PaymountError('parameters_exclusive', message, { param: 'mandate_data' });
    }
    if (card === undefined) throw absent(type);
    const input: TokenizeInput = 'token' in card ? { type, token: card.token } : toCard(card);
    return { input, sent: { number: 'card[number]', token: 'card[token]' } };
  }
  if (bank === undefined) throw absent(type);
  const input: TokenizeInput = 'token' in bank ? { type, token: bank.token } : toBank(bank);
  const sent = {
    number: 'us_bank_account[account_number]',
    token: 'us_bank_account[token]',
  };
  return { input, sent };
}

/**
 * Reads the card or bank account of a new token.
 * @throws PaymountError `parameter_missing`, `parameters_exclusive`, `invalid_currency`
 */
export function toSentToken({ card, bank_account: bank }: TokenCreate): SentMethod {
  if (card !== undefined && bank !== undefined) {
    const message = 'Send either card or bank_account, not both.';
    throw new PaymountError('parameters_exclusive', message, { param: 'bank_account' });
  }
  if (card !== undefined) {
    return { input: toCard(card), sent: { number: 'card[number]', token: 'card[token]' } };
  }
  if (bank === undefined) throw absent('card');
  if (bank.currency !== undefined && bank.currency !== 'usd') {
    const message = `A bank account in the US is in usd, not in ${bank.currency}.`;
    throw new PaymountError('invalid_currency', message, { param: 'bank_account[currency]' });
  }
  const sent = { number: 'bank_account[account_number]', token: 'bank_account[token]' };
  return { input: toBank(bank), sent };
}

/** @throws PaymountError `parameter_invalid` for a mandate of the future */
export function toMandate(
  data: PaymentMethodCreate['mandate_data'],
  at: Date,
): { readonly mandate?: Mandate } {
  if (data === undefined) return {};
  const { type, accepted_at: acceptedAt = at } = data.customer_acceptance;
  if (acceptedAt.getTime() > at.getTime() + CLOCK_SKEW_MS) {
    throw new PaymountError('parameter_invalid', 'A mandate is accepted before it is used.', {
      param: 'mandate_data[customer_acceptance][accepted_at]',
    });
  }
  return { mandate: { id: newId('mandate'), acceptedAt, type } };
}

function absent(param: 'card' | 'us_bank_account'): PaymountError {
  const message = `Send ${param} with the data or the token of the payment method.`;
  return new PaymountError('parameter_missing', message, { param });
}

function toCard(card: Card): TokenizeInput {
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

function toBank(bank: BankNumbers): TokenizeInput {
  const { account_holder_name: name } = bank;
  return {
    type: 'us_bank_account',
    usBankAccount: {
      accountNumber: bank.account_number,
      routingNumber: bank.routing_number,
      accountType: bank.account_type,
      accountHolderType: bank.account_holder_type,
      ...(name === undefined ? {} : { accountHolderName: name }),
    },
  };
}
