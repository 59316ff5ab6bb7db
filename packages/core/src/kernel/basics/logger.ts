/** The facts of one line; listed fields only, never bodies, headers or secrets. */
export type LogFacts = Readonly<
  Record<string, string | number | boolean | null | undefined | Error>
>;

/** pino's shape, so that a host passes its own: object first, then a fixed sentence. */
export interface Logger {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  /** A person must look. */
  error(facts: LogFacts, message: string): void;
}
