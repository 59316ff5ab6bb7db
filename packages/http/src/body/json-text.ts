import { PaymountError } from '@paymount/core/kernel';
import { assertParsable } from './json-bounds.ts';
import { countMembers, duplicateMember } from './json-members.ts';
import { endOfString, isQuote } from './json-tokens.ts';
import { isTree, newTree, type Tree } from './tree.ts';

const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const SHORT_INTEGER = /^-?[0-9]{1,15}$/;

/**
 * Parses a JSON body; an empty one has no parameters. Numbers are checked by their digits:
 * `10.00000000000000000001` is not an integer, although `JSON.parse` reads 10. Duplicate names are
 * refused, because proxies and `JSON.parse` may use different ones (RFC 8259, section 4).
 * @throws PaymountError `invalid_json`, `parameter_duplicate`, `parameter_invalid`
 */
export function parseJson(text: string): Tree {
  if (text === '') return newTree();
  assertParsable(text);
  const value = parse(text);
  if (!isTree(value)) throw new PaymountError('invalid_json', 'The body must be one JSON object.');
  const { exact, members } = scan(text);
  // `JSON.parse` keeps only one of two members with the same name.
  if (members !== countMembers(value)) throw duplicateMember(text);
  const judged = exact === text ? value : parse(exact);
  return isTree(judged) ? judged : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message repeats parts of the body, which may contain a card number: it is
    // dropped.
    throw new PaymountError('invalid_json', 'The body is not valid JSON.');
  }
}

/**
 * Rewrites the numbers of a valid JSON text that `JSON.parse` would round to an integer, and counts
 * the members as they were written.
 */
function scan(text: string): { readonly exact: string; readonly members: number } {
  let exact = '';
  let copied = 0;
  let members = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isQuote(text, at)) {
      at = endOfString(text, at);
    } else if (unit === MINUS || isDigit(unit)) {
      const end = endOfNumber(text, at);
      if (isRoundedToInteger(text.slice(at, end))) {
        exact += `${text.slice(copied, at)}0.5`;
        copied = end;
      }
      at = end;
    } else {
      if (unit === COLON) members += 1;
      at += 1;
    }
  }
  return { exact: copied === 0 ? text : exact + text.slice(copied), members };
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789.eE+-'.includes(text.charAt(at))) at += 1;
  return at;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

/** Whether a number has a fraction that a double cannot hold, so that it reads as an integer. */
function isRoundedToInteger(token: string): boolean {
  if (SHORT_INTEGER.test(token) || !Number.isInteger(Number(token))) return false;
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let zeros = 0;
  while (zeros < digits.length && digits.charCodeAt(digits.length - 1 - zeros) === ZERO) zeros += 1;
  if (zeros === digits.length) return false;
  return fraction.length - zeros > Number(exponent);
}
