import type { LogFacts } from '../kernel/basics/logger.ts';
import { isError } from '../kernel/errors/is-error.ts';
import {
  errorMessage,
  errorName,
  readProperty,
  readTextProperty,
} from '../kernel/errors/thrown.ts';
import { loggableText } from '../kernel/secrets/secret-text.ts';
import type { HookError } from './change.ts';

/** The length of each end of a longer message: knex puts the statement before the cause. */
const KEPT = 240;
/** Errors of a host may have themselves as their cause. */
const MAX_CAUSES = 5;
/** Files of Node and of installed packages, including ours. */
const FOREIGN = /node:|node_modules/;
const FRAME = /^\s+at (?:async )?/;
/** The stack also contains the lines of the message, which may have any length. */
const MAX_FRAME = 1_000;
/** A path may contain spaces and parentheses. */
const PLACE = /^(?:file:|\/|[A-Za-z]:\\).*:\d+:\d+$/;

/** How to end the waiting of results that only a process with the hook may record. */
export const HOOK_CURE =
  'Start this process with the same `hook`; if no process has it any more, run `paymount hook remove --reason TEXT`.';

/**
 * The log line about a hook that failed: class and message of the error and of its deepest cause,
 * and the first line of the host's own code; or about a hook that this process lacks. Never throws,
 * whatever the hook threw.
 * @param object the id of what the result is about, such as a charge or a payout
 * @param consequence a sentence that says what happens now
 */
export function hookFailure(
  { cause: thrown, isMissing }: HookError,
  object: string,
  consequence: string,
): { readonly facts: LogFacts; readonly sentence: string } {
  if (isMissing) {
    const sentence = `The result of ${object} is not recorded: other processes record results with a hook, and this one has no hook. ${consequence} ${HOOK_CURE}`;
    return { facts: toFact(object), sentence };
  }
  const chain = [thrown, ...collectCauses(thrown)];
  const code = chain.map((each) => readTextProperty(each, 'code')).findLast(Boolean);
  const place = chain.map(ownLine).find(Boolean);
  const deepest = chain.length > 1 ? `; caused by ${described(chain.at(-1))}` : '';
  const at = place === undefined ? '' : `, at ${place}`;
  return {
    facts: { ...toFact(object), ...(code !== undefined && { code: shortened(code) }) },
    sentence: `The hook refused the result of ${object}: ${described(thrown)}${deepest}${at}. ${consequence}`,
  };
}

/** The field of the log line that names the object. */
function toFact(object: string): LogFacts {
  if (object.startsWith('po_')) return { payout: object };
  return object.startsWith('ch_') ? { charge: object } : { object };
}

/** From the nearest to the deepest cause; of an `AggregateError`, the first error. */
function collectCauses(thrown: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let next = readCause(thrown);
  while (next !== undefined && causes.length < MAX_CAUSES) {
    if (next === thrown || causes.includes(next)) break;
    causes.push(next);
    next = readCause(next);
  }
  return causes;
}

function readCause(thrown: unknown): unknown {
  return readProperty(thrown, 'cause') ?? readProperty(readProperty(thrown, 'errors'), '0');
}

function described(thrown: unknown): string {
  const name =
    isError(thrown) || readTextProperty(thrown, 'message') ? errorName(thrown) : undefined;
  const said = shortened([name, errorMessage(thrown)].filter(Boolean).join(': '));
  // The sentence that contains it goes on.
  return said.replace(/(?<!\.)\.$/, '');
}

/** On one line. Shortened last, because a part of a secret is not recognised. */
function shortened(text: string): string {
  const line = loggableText(text).replaceAll(/\s+/g, ' ').trim();
  return line.length <= 2 * KEPT ? line : `${line.slice(0, KEPT)} … ${line.slice(-KEPT)}`;
}

/** Where the host's own code threw; undefined if the stack does not contain it. */
function ownLine(thrown: unknown): string | undefined {
  for (const line of (readTextProperty(thrown, 'stack') ?? '').split('\n')) {
    const isOwn = FRAME.test(line) && !FOREIGN.test(line) && line.length <= MAX_FRAME;
    const place = isOwn ? parseLocation(line) : '';
    if (PLACE.test(place)) return place;
  }
  return undefined;
}

/** The text in parentheses after the name of a frame, or all of a frame without a name. */
function parseLocation(frame: string): string {
  const open = frame.indexOf(' (');
  if (open >= 0 && frame.endsWith(')')) return frame.slice(open + 2, -1);
  return frame.replace(FRAME, '');
}
