import type { Page, StoredEvent } from '../../../api/resources.ts';

/** More rows than this are not kept: the oldest go. */
const MAX_EVENTS = 500;
/** A quiet account has few new events, so the first page of each round is small. */
const FIRST_PAGE = 25;
const FURTHER_PAGE = 100;
const MAX_FURTHER_PAGES = 5;

/** Reads one page of the list of events, newest first. */
export type ReadPage = (page: {
  readonly limit: number;
  readonly starting_after?: string;
}) => Promise<Page<StoredEvent>>;

/** What one round found. */
export interface Newest {
  readonly events: readonly StoredEvent[];
  /** Whether there were more new events than it read. */
  readonly isCut: boolean;
}

/**
 * Reads the newest events. While a whole page is new, it reads the page behind it, up to a bound.
 * @param known what earlier rounds found; if it is empty, one page is enough
 */
export async function readNewest(read: ReadPage, known: readonly StoredEvent[]): Promise<Newest> {
  const ids = new Set(known.map(({ id }) => id));
  const isAllNew = ({ data }: Page<StoredEvent>) => data.every(({ id }) => !ids.has(id));
  let page = await read({ limit: ids.size === 0 ? FURTHER_PAGE : FIRST_PAGE });
  let events = page.data;
  if (ids.size === 0) return { events, isCut: false };
  for (let more = 0; page.has_more && isAllNew(page); more += 1) {
    const last = events.at(-1);
    if (more === MAX_FURTHER_PAGES || last === undefined) return { events, isCut: true };
    page = await read({ limit: FURTHER_PAGE, starting_after: last.id });
    events = [...events, ...page.data];
  }
  return { events, isCut: false };
}

/**
 * Puts events into a list by their ids, the newest first. An event may be committed after one that
 * has a later id, so a new one is not always the first.
 * @returns the same list if there is nothing new
 */
export function mergeEvents(
  known: readonly StoredEvent[],
  found: readonly StoredEvent[],
): readonly StoredEvent[] {
  const ids = new Set(known.map(({ id }) => id));
  const added = found.filter(({ id }) => !ids.has(id));
  if (added.length === 0) return known;
  return [...added, ...known]
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, MAX_EVENTS);
}
