import { PaymountError } from '@paymount/core/kernel';
import { MAX_DEPTH, MAX_PARAMETERS } from './check-tree.ts';

const [QUOTE, BACKSLASH, COLON] = ['"', '\\', ':'].map((sign) => sign.charCodeAt(0));
const OPENING = new Set(['{', '['].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set(['}', ']'].map((sign) => sign.charCodeAt(0)));
/** No route takes so many, and a parser needs long for many more. */
const MAX_PARTS = 4 * MAX_PARAMETERS;
const MAX_NESTING = 4 * MAX_DEPTH;

/**
 * Refuses a text with so many members, objects and lists, or so many of them in each other, that it
 * would take long to parse. The parser itself decides whether it is JSON, and `checkTree` by the
 * parameter what is too much for a route.
 * @throws PaymountError `parameter_invalid`
 */
export function assertParsable(text: string): void {
  let [depth, parts] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at += 1;
      while (at < text.length && text.charCodeAt(at) !== QUOTE) {
        at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
      }
    } else if (unit === COLON) {
      parts += 1;
    } else if (OPENING.has(unit)) {
      parts += 1;
      depth += 1;
    } else if (CLOSING.has(unit)) {
      depth -= 1;
    }
    if (parts > MAX_PARTS) throw invalid(`has more than ${MAX_PARAMETERS} parameters`);
    if (depth > MAX_NESTING) throw invalid(`is nested deeper than ${MAX_DEPTH} levels`);
  }
}

function invalid(fault: string): PaymountError {
  return new PaymountError('parameter_invalid', `The request ${fault}.`);
}
