import { ofToday } from './depth.ts';

/**
 * What one route, or another item of a list, is tested with today: a seventh of a class, at least one of it,
 * so that seven days in a row cover the class; all of it in the nightly run. Neighbors get different ones, so
 * that the routes together are tested with the whole class each day.
 * @param index where the route is in its list
 */
export function sampleFor<Item>(index: number, items: readonly Item[]): readonly Item[] {
  const start = index % Math.max(items.length, 1);
  return ofToday([...items.slice(start), ...items.slice(0, start)]);
}
