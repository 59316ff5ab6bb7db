import { refuseForbiddenText } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { isTree } from './body/tree.ts';
import { paramPath } from './param-path.ts';

/** What a route knows of its parameters. */
export interface TextRules {
  /** Whether card data is refused too: it is in live, and wherever an admin writes. */
  readonly cards: boolean;
  /**
   * Fields that are not searched, as they are not kept, or hold hashes: `credential`, `heads.hash`
   * (of each item).
   */
  readonly exempt?: readonly string[];
}

/** They are given back to the processor letter by letter, so that nobody can write them otherwise. */
const NAMED_BY_PROCESSORS: ReadonlySet<string> = new Set(['card.token', 'processor_reference']);

/**
 * Keeps out what no parameter may hold, whatever its name: secrets of ours, and card data, so that
 * host and merchant stay out of PCI scope.
 * @throws PaymountError `secret_in_text`, `raw_card_data_not_allowed`; neither repeats anything
 */
export function refuseForbiddenTexts(value: unknown, rules: TextRules): void {
  checkValue(value, [], rules);
}

function checkValue(value: unknown, path: readonly string[], rules: TextRules): void {
  if (typeof value === 'string') {
    if (rules.exempt?.includes(fieldAt(path))) return;
    const cards = rules.cards && !isNamedByProcessor(path);
    refuseForbiddenText(value, { param: paramPath(path), cards });
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
      refuseForbiddenText(name, { param: paramPath(path), cards: rules.cards });
      checkValue(value[name], at, rules);
    }
  }
}

/** The name of a field, whichever item of a list it stands in. */
function fieldAt(path: readonly string[]): string {
  return path.filter((name) => !/^[0-9]+$/.test(name)).join('.');
}

/** What a processor calls a card or a payment may look like a number and is none. */
function isNamedByProcessor(path: readonly string[]): boolean {
  return NAMED_BY_PROCESSORS.has(path.join('.'));
}
