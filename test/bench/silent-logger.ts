import type { Logger } from '@paymount/core/kernel';

const silence = (): void => undefined;

/** Writing lines is the host's logger's cost, not ours; errors still show. */
export const silentLogger: Logger = {
  debug: silence,
  info: silence,
  warn: silence,
  error: (facts, message) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
};
