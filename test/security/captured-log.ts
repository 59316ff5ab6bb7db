import { inspect } from 'node:util';
import type { Logger } from 'paymount';
import { writtenLog } from '../support/written-log.ts';

/** What a host's own logger is told, and what ours makes of it, which leaves secrets out. */
export interface ToldLog {
  readonly logger: Logger;
  /** Facts and errors as they came, in all that can be seen of them. */
  told(): string;
  /** The lines of the logger that hosts get by default. */
  written(): string;
}

/** Starts an empty log. */
export function toldLog(): ToldLog {
  const { logger, text } = writtenLog();
  const told: string[] = [];
  const tell =
    (level: keyof Logger): Logger[typeof level] =>
    (facts, message) => {
      told.push(`${message} ${inspect(facts, { depth: 12, maxStringLength: 100_000 })}`);
      logger[level](facts, message);
    };
  return {
    logger: {
      debug: tell('debug'),
      info: tell('info'),
      warn: tell('warn'),
      error: tell('error'),
    },
    told: () => told.join('\n'),
    written: text,
  };
}
