import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@paymount/core/kernel';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import type { BenchDatabase } from './database.ts';

const BATCH = 10;
/** So many batches make 100 events per second. */
const EVERY_MS = 100;

export interface LiveFigures {
  readonly longestTaskMs: number;
  /** The greatest age of an event as the page showed it. */
  readonly oldestMs: number;
  /** Events that the page never showed. */
  readonly missing: number;
}

/** Notes when each event is first in the table, and the longest task of the page. */
const WATCH = `
  window.seen = {};
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: 'longtask' });
  const note = () => {
    for (const { textContent: id } of document.querySelectorAll('table[aria-label="New events"] a'))
      if (id.startsWith('evt_')) seen[id] ??= Date.now();
  };
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
`;

/** Commits 100 events per second beside an open live tail, which is closed at the end. */
export async function followLive(
  page: Page,
  database: BenchDatabase,
  { account, seconds }: { readonly account: string; readonly seconds: number },
): Promise<LiveFigures> {
  await page.evaluate(WATCH);
  const stored = new Map<string, number>();
  const startedMs = performance.now();
  for (let batch = 0; batch * EVERY_MS < seconds * 1_000; batch += 1) {
    await wait(startedMs + batch * EVERY_MS - performance.now());
    for (const id of await storeEvents(database, account)) stored.set(id, Date.now());
  }
  const newest = [...stored.keys()].at(-1) ?? '';
  await eventually(() => page.evaluate<boolean>(`${JSON.stringify(newest)} in seen`));
  const seen = await page.evaluate<Record<string, number>>('seen');
  const longestTaskMs = await page.evaluate<number>('longest');
  await page.context().close();
  const ages = [...stored].flatMap(([id, atMs]) => (seen[id] === undefined ? [] : seen[id] - atMs));
  return { longestTaskMs, oldestMs: Math.max(...ages), missing: stored.size - ages.length };
}

async function storeEvents(database: BenchDatabase, account: string): Promise<readonly string[]> {
  const created = new Date();
  const ids = Array.from({ length: BATCH }, () => newId('evt'));
  const bodies = ids.map((id) =>
    JSON.stringify({
      id,
      object: 'event',
      type: 'charge.succeeded',
      api_version: '2026-11-01',
      created: created.toISOString(),
      livemode: false,
      account,
      data: { object: { id: newId('ch'), object: 'charge', amount: 1_800, currency: 'eur' } },
    }),
  );
  await database.query(
    `INSERT INTO paymount.events (id, account_id, livemode, type, api_version, created, object_id,
       object_version, body, source)
     SELECT id, $3, false, 'charge.succeeded', '2026-11-01', $4, body::jsonb #>> '{data,object,id}',
       1, body, 'api' FROM unnest($1::text[], $2::text[]) AS e (id, body)`,
    [ids, bodies, account, created],
  );
  return ids;
}
