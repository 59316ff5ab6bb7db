import type { LogFacts } from '../shared/logger.ts';
import type { HookError } from './change.ts';

/** Of each end of a message that is longer than both: knex puts the statement before the cause. */
const KEPT = 240;
/** Files of node and of installed packages, ours among them. */
const FOREIGN = /node:|node_modules/;
const PLACE = /\(?((?:file:|\/|[A-Za-z]:\\)\S+:\d+:\d+)\)?$/;

/**
 * The one line about a hook that failed: class, message and first own line of what it threw.
 * @param charge whose result it was
 * @param consequence the sentence that says what happens now
 */
export function hookFailure(
  { cause }: HookError,
  charge: string,
  consequence: string,
): { readonly facts: LogFacts; readonly sentence: string } {
  const place = ownLine(cause);
  const code = isCoded(cause) ? { code: cause.code } : {};
  const at = place === undefined ? '' : `, at ${place}`;
  return {
    facts: { charge, ...code },
    sentence: `The hook refused the result of ${charge}: ${described(cause)}${at}. ${consequence}`,
  };
}

function described(thrown: unknown): string {
  if (!(thrown instanceof Error)) return shortened(String(thrown));
  // The name of a database's error is `error`; its class says more.
  const { name, message } = thrown;
  return `${name === 'error' ? thrown.constructor.name : name}: ${shortened(message)}`;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 2 * KEPT ? line : `${line.slice(0, KEPT)} … ${line.slice(-KEPT)}`;
}

/** Where the host's own code threw; undefined when the stack does not reach it. */
function ownLine(thrown: unknown): string | undefined {
  const lines = thrown instanceof Error ? (thrown.stack ?? '').split('\n') : [];
  const own = lines.find((line) => /^\s+at /.test(line) && !FOREIGN.test(line));
  return own === undefined ? undefined : PLACE.exec(own)?.[1];
}

function isCoded(thrown: unknown): thrown is Error & { readonly code: string } {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string';
}
