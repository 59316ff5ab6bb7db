import { PaymountError } from '@paymount/core/kernel';
import { MAX_DEPTH, MAX_PARAMETERS, nestedTooDeeply } from './check-tree.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BRACKET = 91;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([BRACKET, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);
/** No route takes so many, and a parser needs long for many more. */
const MAX_PARTS = 4 * MAX_PARAMETERS;
const MAX_NESTING = 4 * MAX_DEPTH;

/**
 * Refuses a text with so many members, objects and lists, or so many of them in each other, that it
 * would take long to parse. The parser itself decides whether it is JSON, and `checkTree` by the
 * parameter what is too much for a route.
 * @throws PaymountError `parameter_invalid`, or `invalid_json` for anything that is not an object
 */
export function assertParsable(text: string): void {
  let [depth, parts] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = closingQuote(text, at);
    else if (unit === COLON) {
      parts += 1;
    } else if (OPENING.has(unit)) {
      parts += 1;
      depth += 1;
    } else if (CLOSING.has(unit)) {
      depth -= 1;
    }
    if (depth > MAX_NESTING || parts > MAX_PARTS) throw refusal(text, depth);
  }
}

function refusal(text: string, depth: number): PaymountError {
  if (!text.trimStart().startsWith('{')) {
    return new PaymountError('invalid_json', 'The body must be one JSON object.');
  }
  if (depth > MAX_NESTING) return nestedTooDeeply(pathBelow(text, MAX_DEPTH + 1));
  const message = `The request has more than ${MAX_PARAMETERS} parameters.`;
  return new PaymountError('parameter_invalid', message);
}

/** The place of the quote that ends a string; the end of the text if there is none. */
function closingQuote(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** The names on the way to the first object or list that is in so many others. */
function pathBelow(text: string, levels: number): readonly string[] {
  const path: (string | number)[] = [];
  let string = '';
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = closingQuote(text, at);
      string = text.slice(at + 1, end);
      at = end;
    } else if (unit === COLON) {
      path[path.length - 1] = string;
    } else if (OPENING.has(unit)) {
      if (path.length === levels) break;
      path.push(unit === BRACKET ? 0 : '');
    } else if (CLOSING.has(unit)) {
      path.pop();
    } else if (unit === COMMA) {
      const item = path.at(-1);
      if (typeof item === 'number') path[path.length - 1] = item + 1;
    }
  }
  return path.map(String);
}
