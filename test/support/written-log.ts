import { pinoLogger } from '../../packages/paymount/src/adapters/pino-logger.ts';

/** The logger that hosts get by default, written into memory instead of on standard output. */
export interface WrittenLog {
  readonly logger: ReturnType<typeof pinoLogger>;
  /** Every line so far, debug included. */
  text(): string;
}

/** Starts an empty log. */
export function writtenLog(): WrittenLog {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { logger: pinoLogger({ level: 'debug', destination }), text: () => lines.join('') };
}
