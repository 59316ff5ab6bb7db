import {
  isError,
  type LogFacts,
  type Logger,
  withoutCardNumbers,
  withoutCredentials,
} from '@paymount/core';

/** Names of facts that no line may carry; by these names a secret could slip in. */
const SECRET_NAMES = new Set([
  'authorization',
  'body',
  'cookie',
  'headers',
  'key',
  'parameters',
  'password',
  'payload',
  'secret',
  'signature',
  'token',
]);

const CENSORED = '[secret]';

/** The password of a connection string; it may hold what its author forgot to encode. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{0,19}:\/\/[^\s:@/]{0,128}:)\S{1,512}@/gi;

const MAX_CAUSES = 5;

type Fact = LogFacts[string];

/**
 * Hands every line on to a logger, whoever's it is. Callers list their facts; this is the second
 * net, for what should never have come so far: a client's error carries the command that failed,
 * and a driver's the values of the statement.
 */
export function discreetLogger(logger: Logger): Logger {
  return {
    debug: (facts, message) => logger.debug(discreet(facts), message),
    info: (facts, message) => logger.info(discreet(facts), message),
    warn: (facts, message) => logger.warn(discreet(facts), message),
    // A sentence, but for a hook's error that is part of it.
    error: (facts, message) => logger.error(discreet(facts), shownOf(message)),
  };
}

/** pino's own `redact` costs six times as much as the rest of a line. */
function discreet(facts: LogFacts): LogFacts {
  const shown: Record<string, Fact> = {};
  for (const name of Object.keys(facts)) {
    shown[name] = SECRET_NAMES.has(name) ? CENSORED : discreetFact(facts[name]);
  }
  return shown;
}

function discreetFact(fact: Fact): Fact {
  if (typeof fact === 'string') return scrub(fact);
  return isError(fact) ? reduced(fact) : fact;
}

/**
 * An error of the listed fields only: name, message, code, stack and causes. An adapter's may repeat
 * the card number that its processor got.
 */
function reduced(error: Error, depth = 0): Error {
  const { cause } = error;
  const hasCause = cause !== undefined && depth < MAX_CAUSES;
  const shown = new Error(shownOf(error.message), {
    ...(hasCause && { cause: reduced(toError(cause), depth + 1) }),
  });
  shown.name = error.name;
  shown.stack = shownOf(error.stack ?? `${error.name}: ${error.message}`);
  const code = 'code' in error && typeof error.code === 'string' ? scrub(error.code) : undefined;
  return code === undefined ? shown : Object.assign(shown, { code });
}

function shownOf(text: string): string {
  return withoutCardNumbers(scrub(text));
}

function toError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(String(thrown));
}

function scrub(text: string): string {
  return withoutCredentials(text, CENSORED).replace(URL_PASSWORD, `$1${CENSORED}@`);
}
