import type { Environment } from '../../kernel/basics/environment.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { isCurrency } from '../../kernel/input/currency.ts';
import { assertRoutingNumber } from '../payment-methods/routing-number.ts';
import { assertCan } from '../processor/assert-can.ts';
import type { BankAccountAnswer, BankAccountInput, Processor } from '../processor/processor.ts';
import type { BankAccountData, ExternalAccountCreate } from './bank-account-input.ts';
import { checkBankAccount } from './check-bank-account.ts';
import type { OpenedToken } from './open-bank-token.ts';

type Accepted = Extract<BankAccountAnswer, { result: 'accepted' }>['bankAccount'];

/** A bank account that the processor accepted. */
export type CheckedBankAccount = Accepted & { readonly currency: string };

const AT = 'external_account';

/**
 * Reads what a caller sent as `external_account`, and asks the processor about it.
 * @param known the environment, and the currency of tokens that have none
 * @throws PaymountError `operation_not_supported`, `routing_number_invalid`, `test_number_required`,
 *   `parameter_missing`, `parameter_invalid`, `resource_missing`, `processor_error`
 */
export async function toCheckedBankAccount(
  processor: Processor,
  sent: ExternalAccountCreate['external_account'] | OpenedToken,
  known: { readonly environment: Environment; readonly defaultCurrency: string },
): Promise<CheckedBankAccount> {
  assertCan(processor, 'addBankAccount');
  const input = toInput(processor, sent, known.environment);
  const answer = await checkBankAccount(processor, input, { environment: known.environment });
  switch (answer.result) {
    case 'accepted': {
      const sentCurrency = currencyOf(sent) ?? known.defaultCurrency;
      const currency = answer.bankAccount.currency?.toLowerCase() ?? sentCurrency;
      if (!isCurrency(currency)) throw new PaymountError('processor_error');
      return { ...answer.bankAccount, currency };
    }
    case 'refused':
      throw new PaymountError(answer.code, answer.message, { param: paramOf(answer.code) });
    case 'unknown_token':
      throw missing('token', typeof sent === 'string' ? sent : '', AT);
  }
}

/** Of a token of ours it is the dollar, of any other token it is not known. */
function currencyOf(
  sent: ExternalAccountCreate['external_account'] | OpenedToken,
): string | undefined {
  if (typeof sent === 'string') return undefined;
  return 'input' in sent ? 'usd' : sent.currency;
}

function paramOf(code: string): string {
  return code === 'routing_number_invalid' ? `${AT}[routing_number]` : `${AT}[account_number]`;
}

function toInput(
  processor: Processor,
  sent: ExternalAccountCreate['external_account'] | OpenedToken,
  environment: Environment,
): BankAccountInput {
  if (typeof sent === 'string') return { token: sent };
  // A token of ours was checked when it was made.
  if ('input' in sent) return sent.input;
  if (environment === 'live') assertCan(processor, 'takeBankNumber', `${AT}[account_number]`);
  return { ...checkedNumbers(sent), country: sent.country, currency: sent.currency };
}

function checkedNumbers(sent: BankAccountData) {
  const { country, account_number: accountNumber, routing_number: routingNumber } = sent;
  if (country !== 'US') return { accountNumber, routingNumber: routingNumber ?? null };
  const param = `${AT}[routing_number]`;
  if (routingNumber === undefined) {
    throw new PaymountError('parameter_missing', 'A bank account in the US has a routing number.', {
      param,
    });
  }
  assertRoutingNumber(routingNumber, param);
  return { accountNumber, routingNumber };
}
