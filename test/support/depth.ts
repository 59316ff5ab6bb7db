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
 * What is tested today of a list: a seventh of it, at least one item, so that seven days in a row cover the
 * list; all of it in the nightly run.
 * @param offset where a route, or whatever else is tested with the list, is in a list of its own: neighbors
 *   get different items, so that together they are tested with the whole list each day
 */
export function ofToday<Item>(items: readonly Item[], offset = 0): readonly Item[] {
  if (isNightly || items.length === 0) return items;
  const start = offset % items.length;
  const turned = [...items.slice(start), ...items.slice(0, start)];
  const share = turned.filter((_, index) => index % SAMPLE_DAYS === sampleDay);
  const one = sampleDay % turned.length;
  return share.length > 0 ? share : turned.slice(one, one + 1);
}

function readDay(given: string | undefined): number {
  if (given === undefined) return Math.floor(Date.now() / DAY_MS) % SAMPLE_DAYS;
  const day = Number(given);
  if (!Number.isInteger(day) || day < 0 || day >= SAMPLE_DAYS) {
    throw new Error(`PAYMOUNT_TEST_DAY is ${given}; it takes 0 to ${SAMPLE_DAYS - 1}.`);
  }
  return day;
}
