import type { LeakVerdict, Sighting } from './sighting.ts';

/** Headers of a report, distinct, names in lower case. */
export type ReportHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** What a report says, once it is known to be its sender's. */
export interface LeakReport {
  /** What was seen, and where. */
  readonly sightings: readonly Omit<Sighting, 'source'>[];
  /** Parts of it that make no sense; they keep nobody from the others. @defaultValue 0 */
  readonly passedOver?: number;
  /**
   * What is answered, as JSON, with status 200. It may hold credentials, as its reader sent them.
   * @param verdicts of the sightings, in their order
   */
  answer(verdicts: readonly LeakVerdict[]): unknown;
}

/**
 * A code host that tells of credentials which it found, at `POST /leaks/NAME` of the leak router.
 * The request is its own proof: it is signed, over its raw bytes.
 */
export interface LeakSource {
  /** 1 to 50 of `a-z`, `0-9` and `-`; also the `source` of its leaks. */
  readonly name: string;
  /**
   * Judges the headers before the body is read. It has 5 s; the code host is told to come again
   * when that is not enough, or when an error is thrown that is not a `PaymountError`.
   * @returns what reads the body, and throws too when the signature is not of these bytes
   * @throws PaymountError `leak_report_unverified` for what the code host did not sign
   */
  verify(headers: ReportHeaders): Promise<(body: Buffer) => LeakReport>;
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/;

/**
 * Sources by name.
 * @param kept names that others have
 * @throws TypeError for a name that is none, is kept, or comes twice
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
