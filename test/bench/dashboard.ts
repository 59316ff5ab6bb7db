import { randomBytes } from 'node:crypto';
import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { type Browser, chromium, type Page } from 'playwright-core';
import { PROGRAM } from '../support/chromium.ts';
import { Cleanup } from '../support/cleanup.ts';
import { withClient } from '../support/database.ts';
import { DAY_MS, DAYS, loadLog, logSize } from '../support/delivery-log-data.ts';
import { fakeLogin } from '../support/fake-login.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { percentile } from '../support/statistics.ts';
import { followLive } from './dashboard-live.ts';
import { openBenchDatabase } from './database.ts';
import { type Measurement, NotMeasured } from './figure.ts';
import type { Settings } from './rounds.ts';

const ATTEMPTS = 1_000_000;
const CLICKS = 20;
const FIRST_PAGE_KB = 250;
const CLICK_MS = 300;
const MOUNT = '/dashboard';
/** The largest account of the log: half of all attempts are its. */
const LARGEST = `acct_${'0'.repeat(26)}`;
/** One without a past: the events of the log have no content. */
const NEW = `acct_${'1'.repeat(26)}`;

/**
 * The dashboard in Chromium: the JavaScript of its first page, the time from a click to a page of
 * deliveries among a million attempts, and the live tail at 100 events per second.
 */
export async function measureDashboard(settings: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(settings.server));
    settings.say(`  loads a log of ${ATTEMPTS} attempts`);
    await load(database.url);
    const { host, cookie } = await startDashboard(database.url);
    cleanup.add(host);
    const browser = cleanup.add(await startBrowser());
    const open = (account: string, path: string) =>
      openPage(browser, host, { cookie, path: `${account}/test/${path}` });
    const kilobytes = await firstPage(await open(LARGEST, ''));
    const pages: number[] = [];
    const lives: Awaited<ReturnType<typeof followLive>>[] = [];
    for (let round = 0; round < settings.rounds; round += 1) {
      pages.push(percentile(await clicks(await open(LARGEST, 'deliveries')), 0.95));
      const live = await open(NEW, 'events?follow=1');
      lives.push(await followLive(live, database, { account: NEW, seconds: settings.seconds }));
    }
    return {
      figures: [
        { name: 'first page, JavaScript', unit: 'KB', values: [kilobytes], atMost: FIRST_PAGE_KB },
        { name: 'click to deliveries, p95', unit: 'ms', values: pages, atMost: CLICK_MS },
        {
          name: 'longest task of the live tail',
          unit: 'ms',
          values: lives.map(({ longestTaskMs }) => longestTaskMs),
          atMost: 200,
        },
        {
          name: 'age of an event as it is shown, at most',
          unit: 'ms',
          values: lives.map(({ oldestMs }) => oldestMs),
          atMost: 3_000,
        },
      ],
      sides: [],
      invalid: lives.flatMap(({ missing }) =>
        missing === 0 ? [] : [`${missing} events were never shown`],
      ),
    };
  } finally {
    await cleanup.run();
  }
}

async function load(url: string): Promise<void> {
  const size = logSize(ATTEMPTS);
  const first = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS);
  const postgres = createPostgresStorage({ connection: url, dispatch: new DispatchHub() });
  try {
    await postgres.deliveries.createPartitions(first, DAYS + 1);
  } finally {
    await postgres.close();
  }
  await withClient(url, async (client) => {
    await loadLog(client, size, first);
    await client.query(
      `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
       VALUES ($1, 'New', 'DE', 'eur', 'active', 1, $2)`,
      [NEW, first],
    );
  });
}

async function startDashboard(databaseUrl: string) {
  const login = fakeLogin();
  const sealingKeys = [{ kid: 'bench', key: randomBytes(32).toString('base64') }];
  const host = await startHost(
    { databaseUrl, sealingKeys },
    {
      mount(app, paymount) {
        const { identity } = login;
        app.use(MOUNT, paymount.dashboardRouter({ identity, requireTls: false }));
      },
    },
  );
  const accounts = [LARGEST, NEW].map((id) => ({ id, name: id, role: 'owner' as const }));
  return { host, cookie: login.logIn({ accounts }) };
}

async function startBrowser(): Promise<Browser> {
  try {
    return await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
  } catch (cause) {
    throw new NotMeasured(`${PROGRAM} does not start; install chromium: ${String(cause)}`);
  }
}

/** A page of its own, with an empty cache. */
async function openPage(
  browser: Browser,
  { url }: TestHost,
  { cookie, path }: { readonly cookie: string; readonly path: string },
): Promise<Page> {
  const context = await browser.newContext();
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  await page.goto(`${url}${MOUNT}/${path}`, { waitUntil: 'networkidle' });
  return page;
}

/** The compressed JavaScript that the page loaded until now. */
async function firstPage(page: Page): Promise<number> {
  const bytes = await page.evaluate<number>(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
  await page.context().close();
  return bytes / 1_000;
}

/** Clicks, and waits until the first row is another one and was painted. */
const CLICK_OLDER = `new Promise((resolve) => {
  const button = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Older');
  const first = () => document.querySelector('table[aria-label="Deliveries"] tbody a')?.href;
  const before = first();
  const startedMs = performance.now();
  const look = () => {
    const now = first();
    if (now !== undefined && now !== before) {
      requestAnimationFrame(() => resolve(performance.now() - startedMs));
    } else requestAnimationFrame(look);
  };
  button.click();
  requestAnimationFrame(look);
})`;

/** Older and older pages, each read from the server. @returns the time of each, in ms */
async function clicks(page: Page): Promise<readonly number[]> {
  const times: number[] = [];
  const older = page.getByRole('button', { name: 'Older' });
  for (let number = 0; number < CLICKS; number += 1) {
    await older.and(page.locator(':enabled')).waitFor();
    times.push(await page.evaluate<number>(CLICK_OLDER));
    await page.waitForLoadState('networkidle');
  }
  await page.context().close();
  return times;
}
