import type { Exposure, LeakVerdict } from './exposure.ts';

/** Headers of a report, distinct, names in lower case. */
export type ReportHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** The content of a verified report. */
export interface LeakReport {
  /** The leaked credentials and their locations. */
  readonly exposures: readonly Omit<Exposure, 'source'>[];
  /** The number of its malformed parts; they do not affect the others. @defaultValue 0 */
  readonly passedOver?: number;
  /**
   * The JSON of the answer, with status 200. It may contain credentials, as the reporter sent them.
   * @param verdicts of the exposures, in their order
   */
  answer(verdicts: readonly LeakVerdict[]): unknown;
}

/**
 * A code host that reports leaked credentials at `POST /leaks/NAME` of the leak router. The request
 * authenticates itself: its raw bytes are signed.
 */
export interface LeakSource {
  /** 1 to 50 of `a-z`, `0-9` and `-`; also the `source` of its leaks. */
  readonly name: string;
  /**
   * Checks the headers before the body is read. It has 5 s; after that, or if it throws an error
   * other than a `PaymountError`, the code host is asked to retry.
   * @returns a function that reads the body, and also throws if the signature does not match its
   *   bytes
   * @throws PaymountError `leak_report_unverified` if the code host did not sign it
   */
  verify(headers: ReportHeaders): Promise<(body: Buffer) => LeakReport>;
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/;

/**
 * Sources by name.
 * @param kept reserved names
 * @throws TypeError for a name that is not valid, reserved, or used twice
 */
export function sourcesByName(
  sources: readonly LeakSource[],
  kept: readonly string[],
): ReadonlyMap<string, LeakSource> {
  const byName = new Map<string, LeakSource>();
  for (const source of sources) {
    const { name } = source;
    if (!NAME.test(name) || kept.includes(name) || byName.has(name)) {
      throw new TypeError(
        `The option \`leaks.sources\` has the name ${JSON.stringify(name)}: each has one of its own, ` +
          `1 to 50 of a-z, 0-9 and -, and not ${kept.join(' or ')}.`,
      );
    }
    byName.set(name, source);
  }
  return byName;
}
