/**
 * How deep a run goes. The daily run (`npm test`) samples long matrices; the nightly run
 * (`npm run test:nightly`) tests them whole.
 */
export const isNightly = process.env['PAYMOUNT_TEST_DEPTH'] === 'nightly';

/** The sample turns with the date, so that seven days in a row cover everything. */
export const SAMPLE_DAYS = 7;
const DAY_MS = 86_400_000;

/** 0 to 6: which sample this run takes. `PAYMOUNT_TEST_DAY` repeats that of another day. */
export const sampleDay = readDay(process.env['PAYMOUNT_TEST_DAY']);

/**
 * @returns a seventh of the items, another one each day; all of them in the nightly run. At least one
 * where there is one.
 */
export function ofToday<Item>(items: readonly Item[]): readonly Item[] {
  if (isNightly) return items;
  const share = items.filter((_, index) => index % SAMPLE_DAYS === sampleDay);
  return share.length > 0 ? share : oneOfToday(items);
}

/**
 * @param offset where the caller is in a list of its own, so that neighbors get different items
 * @returns one item, another one each day; all of them in the nightly run
 */
export function oneOfToday<Item>(items: readonly Item[], offset = 0): readonly Item[] {
  if (isNightly || items.length === 0) return items;
  const start = (sampleDay + offset) % items.length;
  return items.slice(start, start + 1);
}

function readDay(given: string | undefined): number {
  if (given === undefined) return Math.floor(Date.now() / DAY_MS) % SAMPLE_DAYS;
  const day = Number(given);
  if (!Number.isInteger(day) || day < 0 || day >= SAMPLE_DAYS) {
    throw new Error(`PAYMOUNT_TEST_DAY is ${given}; it takes 0 to ${SAMPLE_DAYS - 1}.`);
  }
  return day;
}
