/** The fields of one log line; listed fields only, never bodies, headers or secrets. */
export type LogFacts = Readonly<
  Record<string, string | number | boolean | null | undefined | Error>
>;

/**
 * pino's interface, so that hosts can pass their own logger: object first, then a fixed sentence.
 */
export interface Logger {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  /** A person must act. */
  error(facts: LogFacts, message: string): void;
}
