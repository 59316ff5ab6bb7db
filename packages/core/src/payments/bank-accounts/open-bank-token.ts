import type { Owner } from '../../kernel/basics/environment.ts';
import { parseId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import { debitNumberContext, type Token, usedToken } from '../payment-methods/payment-method.ts';
import type { TokenReader } from '../payment-methods/payment-method-repository.ts';
import type { BankAccountInput } from '../processor/processor.ts';

/** A bank token of ours after its one use, and what it says to the processor. */
export interface OpenedToken {
  readonly row: Token;
  readonly input: BankAccountInput;
  readonly holder: Pick<
    Extract<Token, { type: 'us_bank_account' }>['usBankAccount'],
    'accountHolderName' | 'accountHolderType'
  >;
}

/**
 * Opens a `btok_` of ours.
 * @returns undefined for any other text, which may be a token of the processor
 * @throws PaymountError `resource_missing`, `token_already_used`, `unavailable`
 */
export async function openBankToken(
  {
    read,
    sealer,
  }: {
    readonly read: { readonly tokens: TokenReader };
    readonly sealer: Pick<Sealer, 'open'>;
  },
  name: string,
  { owner, at, param }: { readonly owner: Owner; readonly at: Date; readonly param: string },
): Promise<OpenedToken | undefined> {
  const id = parseId('btok', name);
  if (id === undefined) return undefined;
  const token = await read.tokens.find(owner, id);
  if (token?.type !== 'us_bank_account') throw missing('token', name, param);
  const row = usedToken(token, at, param);
  const { usBankAccount: holder, number, processorToken } = token;
  if (number === undefined) return { row, holder, input: { token: processorToken } };
  const accountNumber = await sealer.open(number.sealed, debitNumberContext(processorToken));
  const { routingNumber } = holder;
  return { row, holder, input: { country: 'US', currency: 'usd', accountNumber, routingNumber } };
}
