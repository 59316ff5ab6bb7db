import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { holdsCardNumber } from '../../kernel/secrets/card-number-text.ts';
import { decodings, holdsSecret } from './find-credentials.ts';

/**
 * Keeps out of what is stored a text that holds a secret of ours, or a card number, so that host and
 * merchant stay out of PCI scope: percent-encoded, as in an address, too. The refusal repeats nothing
 * of the text.
 * @param cards whether card numbers are refused too: in live, and wherever an admin writes
 * @throws PaymountError `secret_in_text`, `raw_card_data_not_allowed`
 */
export function refuseForbiddenText(
  text: string,
  { param, cards }: { readonly param: string; readonly cards: boolean },
): void {
  const at = param === '' ? {} : { param };
  if (holdsSecret(text)) throw new PaymountError('secret_in_text', undefined, at);
  if (cards && [...decodings(text)].some(holdsCardNumber)) {
    throw new PaymountError('raw_card_data_not_allowed', undefined, at);
  }
}
