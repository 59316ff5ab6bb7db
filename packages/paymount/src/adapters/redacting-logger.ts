import {
  errorMessage,
  isError,
  type LogFacts,
  type Logger,
  loggableText,
  REDACTED,
  readProperty,
  readTextProperty,
  redactSecrets,
} from '@paymount/core/kernel';

/** Names of fields that are not allowed in a log line, because they could contain a secret. */
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

const MAX_CAUSES = 5;

type Fact = LogFacts[string];

/**
 * Passes every line on to a logger, of Paymount or the host. Callers list their fields; this is a
 * second safety net, because a client's error contains the command that failed, and a driver's
 * error the values of the statement.
 */
export function redactingLogger(logger: Logger): Logger {
  return {
    debug: (facts, message) => logger.debug(redactedFacts(facts), message),
    info: (facts, message) => logger.info(redactedFacts(facts), message),
    warn: (facts, message) => logger.warn(redactedFacts(facts), message),
    // A sentence, but for a hook's error that is part of it.
    error: (facts, message) => logger.error(redactedFacts(facts), loggableText(message)),
  };
}

/** pino's own `redact` costs six times as much as the rest of a line. */
function redactedFacts(facts: LogFacts): LogFacts {
  const shown: Record<string, Fact> = {};
  for (const name of Object.keys(facts)) {
    shown[name] = SECRET_NAMES.has(name) ? REDACTED : redactedFact(facts[name]);
  }
  return shown;
}

function redactedFact(fact: Fact): Fact {
  if (typeof fact === 'string') return redactSecrets(fact);
  return isError(fact) ? reduced(fact) : fact;
}

/**
 * An error with only the listed fields: name, message, code, stack and causes. An adapter's error
 * may repeat the card number that its processor got.
 */
function reduced(thrown: unknown, depth = 0): Error {
  const cause = readProperty(thrown, 'cause');
  const hasCause = cause !== undefined && depth < MAX_CAUSES;
  const message = errorMessage(thrown);
  const name = readTextProperty(thrown, 'name') ?? 'Error';
  const shown = new Error(loggableText(message), {
    ...(hasCause && { cause: reduced(cause, depth + 1) }),
  });
  shown.name = name;
  shown.stack = loggableText(readTextProperty(thrown, 'stack') ?? `${name}: ${message}`);
  const code = readTextProperty(thrown, 'code');
  return code === undefined ? shown : Object.assign(shown, { code: redactSecrets(code) });
}
