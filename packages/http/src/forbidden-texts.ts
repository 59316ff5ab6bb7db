import { assertNoForbiddenText } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { isTree } from './body/tree.ts';
import { paramPath } from './param-path.ts';

/** What a route declares about its parameters. */
export interface TextRules {
  /** Whether card data is refused too: in live, and for all texts of admins. */
  readonly cards: boolean;
  /**
   * Fields that are not searched, because they are not stored, or contain hashes: `credential`,
   * `heads.hash` (of each item).
   */
  readonly exempt?: readonly string[];
}

/**
 * Values that are sent back to the processor unchanged, so that clients cannot write them
 * otherwise.
 */
const NAMED_BY_PROCESSORS: ReadonlySet<string> = new Set([
  'card.token',
  'us_bank_account.token',
  'processor_reference',
  'external_account',
  // They are sealed, and may look like a card number too.
  'external_account.account_number',
  'us_bank_account.account_number',
  'bank_account.account_number',
]);

/**
 * Refuses our secrets in any parameter, and card data, so that host and merchant stay out of PCI
 * scope.
 * @throws PaymountError `secret_in_text`, `raw_card_data_not_allowed`; the messages do not repeat
 *   the text
 */
export function assertNoForbiddenTexts(value: unknown, rules: TextRules): void {
  checkValue(value, [], rules);
}

function checkValue(value: unknown, path: readonly string[], rules: TextRules): void {
  if (typeof value === 'string') {
    if (rules.exempt?.includes(fieldAt(path))) return;
    const cards = rules.cards && !isNamedByProcessor(path);
    assertNoForbiddenText(value, { param: paramPath(path), cards });
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkValue(item, [...path, `${index}`], rules);
    });
  } else if (isTree(value)) {
    for (const name of Object.keys(value)) {
      const at = [...path, name];
      if (rules.cards && path.at(-1) === 'card' && (name === 'number' || name === 'cvc')) {
        const param = paramPath(at);
        throw new PaymountError('raw_card_data_not_allowed', undefined, { param });
      }
      assertNoForbiddenText(name, { param: paramPath(path), cards: rules.cards });
      checkValue(value[name], at, rules);
    }
  }
}

/** The name of a field, without the index of a list item. */
function fieldAt(path: readonly string[]): string {
  return path.filter((name) => !/^[0-9]+$/.test(name)).join('.');
}

/** A processor's name for a card or payment may look like a card number. */
function isNamedByProcessor(path: readonly string[]): boolean {
  return NAMED_BY_PROCESSORS.has(path.join('.'));
}
