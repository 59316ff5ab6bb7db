import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { containsCardNumber } from '../../kernel/secrets/card-number-text.ts';
import { containsSecret, decodings } from './find-credentials.ts';

/**
 * Refuses texts that contain one of our secrets, or a card number, also percent-encoded, so that
 * they are not stored and host and merchant stay out of PCI scope. The error does not repeat the
 * text.
 * @param cards whether card numbers are refused too: in live, and for all texts of admins
 * @throws PaymountError `secret_in_text`, `raw_card_data_not_allowed`
 */
export function assertNoForbiddenText(
  text: string,
  { param, cards }: { readonly param: string; readonly cards: boolean },
): void {
  const at = param === '' ? {} : { param };
  if (containsSecret(text)) throw new PaymountError('secret_in_text', undefined, at);
  if (cards && [...decodings(text)].some(containsCardNumber)) {
    throw new PaymountError('raw_card_data_not_allowed', undefined, at);
  }
}
