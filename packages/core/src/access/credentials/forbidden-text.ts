import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { containsCardNumber } from '../../kernel/secrets/card-number-text.ts';
import { containsSecret } from './find-credentials.ts';

/**
 * What a text contains that must not be stored: one of our secrets, or a card number, also
 * percent-encoded.
 * @param cards whether card numbers are searched too: in live, and for all texts of admins
 * @returns the code of the error; undefined if it contains neither
 */
export function findForbiddenText(
  text: string,
  { cards }: { readonly cards: boolean },
): 'secret_in_text' | 'raw_card_data_not_allowed' | undefined {
  if (containsSecret(text)) return 'secret_in_text';
  return cards && containsCardNumber(text) ? 'raw_card_data_not_allowed' : undefined;
}

/**
 * Refuses such texts, so that host and merchant stay out of PCI scope. The error does not repeat the
 * text.
 * @throws PaymountError `secret_in_text`, `raw_card_data_not_allowed`
 */
export function assertNoForbiddenText(
  text: string,
  { param, cards }: { readonly param: string; readonly cards: boolean },
): void {
  const code = findForbiddenText(text, { cards });
  if (code !== undefined) throw new PaymountError(code, undefined, param === '' ? {} : { param });
}
