import { PaymountError } from '@paymount/core';
import { isTree } from './body/tree.ts';
import { paramPath } from './param-path.ts';

/** 14 to 19 digits, perhaps grouped; not a part of a longer run. */
const DIGIT_RUN = /(?<![0-9])[0-9](?:[ -]?[0-9]){13,18}(?![0-9])/g;
/** Issuer prefixes with the lengths of their numbers. */
const ISSUERS = [
  /^4(?:[0-9]{15}|[0-9]{18})$/,
  /^(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}$/,
  /^3[47][0-9]{13}$/,
  /^3(?:0[0-5]|[689][0-9])[0-9]{11,16}$/,
  /^(?:6011|64[4-9][0-9]|65[0-9]{2}|62[0-9]{2}|35[0-9]{2})[0-9]{12,15}$/,
];
/** The digits in an id of ours are random, and now and then look like a number. */
const ID = /^[a-z]+_[0-9a-z]{26}$/;

/**
 * Keeps card data out of live mode, whatever the field: host and merchant stay out of PCI scope.
 * @param exempt fields whose texts are hashes, credentials or addresses, in which digits may look
 *   like a number: `url`, `heads.hash` (of each item)
 * @throws PaymountError `raw_card_data_not_allowed`; the message repeats nothing of the value
 */
export function refuseCardNumbers(value: unknown, exempt: readonly string[] = []): void {
  judge(value, [], exempt);
}

function judge(value: unknown, path: readonly string[], exempt: readonly string[]): void {
  if (typeof value === 'string') {
    if (isProcessorToken(path) || ID.test(value) || !holdsCardNumber(value)) return;
    if (!exempt.includes(fieldAt(path))) refuse(path);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      judge(item, [...path, `${index}`], exempt);
    });
  } else if (isTree(value)) {
    for (const name of Object.keys(value)) {
      const at = [...path, name];
      if (path.at(-1) === 'card' && (name === 'number' || name === 'cvc')) refuse(at);
      if (holdsCardNumber(name)) refuse(path);
      judge(value[name], at, exempt);
    }
  }
}

/** The name of a field, whichever item of a list it stands in. */
function fieldAt(path: readonly string[]): string {
  return path.filter((name) => !/^[0-9]+$/.test(name)).join('.');
}

/** What a processor calls a card may look like a number and is none. */
function isProcessorToken(path: readonly string[]): boolean {
  return path.length === 2 && path[0] === 'card' && path[1] === 'token';
}

function holdsCardNumber(text: string): boolean {
  for (const [run] of text.matchAll(DIGIT_RUN)) {
    const digits = run.replaceAll(/[ -]/g, '');
    if (ISSUERS.some((issuer) => issuer.test(digits)) && isLuhn(digits)) return true;
  }
  return false;
}

/** ISO/IEC 7812-1, annex B: every second digit from the right counts double. */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const weighted = index % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

function refuse(path: readonly string[]): never {
  const param = paramPath(path);
  throw new PaymountError('raw_card_data_not_allowed', undefined, param === '' ? {} : { param });
}
