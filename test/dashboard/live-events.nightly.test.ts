import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { seriousFaults } from '../support/axe.ts';
import { useBrowserSetup } from './browser-setup.ts';
import { storeShownEvents } from './store-events.ts';

const SECONDS = 6;
/** Of each second, the part in which the page may be busy. */
const MAX_SHARE = 0.5;
/** The list of events, but not a single event. */
const LIST = /\/test\/events\?/;

describe('The live tail of events in Chromium', function () {
  const site = useBrowserSetup(this);

  const store = (count: number, type?: 'charge.failed') =>
    storeShownEvents(site.setup, count, type);
  const rowsOf = (page: Page) =>
    page.getByRole('table', { name: 'New events' }).locator('tbody tr');

  async function openLive(path = 'events?follow=1'): Promise<Page> {
    await store(1, 'charge.failed');
    const page = await site.open(path);
    await rowsOf(page).first().waitFor();
    return page;
  }

  async function setVisible(page: Page, state: 'visible' | 'hidden'): Promise<void> {
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
  }

  it('shows new events on top, in the order of the list', async () => {
    const page = await site.open('events');
    await page.getByRole('switch', { name: 'Follow new events' }).focus();
    await page.keyboard.press('Space');
    await page.waitForURL(/\?follow=1$/);
    await page.getByText('New events appear here as they happen.').waitFor();
    const [newest = '', ...others] = await store(3);
    await rowsOf(page).filter({ hasText: newest }).waitFor();
    const shown = await rowsOf(page).getByRole('link', { name: /^evt_/ }).allTextContents();
    expect(shown.slice(0, 3)).to.deep.equal([newest, ...others]);
    await page.reload();
    await rowsOf(page).filter({ hasText: newest }).waitFor();
    expect(await seriousFaults(page)).to.deep.equal([]);
  });

  it('shows only what the filters of the page let through', async () => {
    const page = await openLive('events?follow=1&type=charge.failed');
    await store(1);
    const [failed = ''] = await store(1, 'charge.failed');
    await rowsOf(page).filter({ hasText: failed }).waitFor();
    expect(await rowsOf(page).filter({ hasText: 'charge.succeeded' }).count()).to.equal(0);
  });

  it('holds new events back while a row is open, and shows them at a press', async () => {
    const page = await openLive();
    await rowsOf(page)
      .first()
      .getByRole('button', { name: /^Show the content/ })
      .click();
    await page.getByRole('region', { name: 'JSON of the event' }).waitFor();
    const [newest = ''] = await store(12);
    await page.getByText('Paused while you read.').waitFor();
    await page.getByRole('button', { name: '12 new events' }).click();
    await rowsOf(page).filter({ hasText: newest }).waitFor();
    await page.getByText('New events appear here as they happen.').waitFor();
    expect(await page.getByRole('region', { name: 'JSON of the event' }).count()).to.equal(0);
  });

  it('holds new events back while the reader has scrolled', async () => {
    await store(60);
    const page = await openLive();
    await page.mouse.wheel(0, 1500);
    await page.getByText('Paused while you read.').waitFor();
    const [newest = ''] = await store(1);
    const button = page.getByRole('button', { name: '1 new event' });
    await button.waitFor();
    expect(await rowsOf(page).filter({ hasText: newest }).count()).to.equal(0);
    await button.click();
    await rowsOf(page).filter({ hasText: newest }).waitFor();
  });

  it('asks for nothing while nobody sees the page, and says what it then left out', async () => {
    const page = await openLive();
    await setVisible(page, 'hidden');
    let asked = 0;
    let further = 0;
    page.on('request', (request) => {
      asked += LIST.test(request.url()) ? 1 : 0;
      further += request.url().includes('starting_after=') ? 1 : 0;
    });
    await page.clock.install();
    await page.clock.runFor(10_000);
    // One that had left before the page was hidden may be reported late.
    asked = 0;
    await page.clock.runFor(10_000);
    expect(asked).to.equal(0);
    const [newest = ''] = await store(600);
    await page.clock.resume();
    await setVisible(page, 'visible');
    await rowsOf(page).filter({ hasText: newest }).waitFor();
    expect(further).to.equal(5);
    await page.getByText('Some events are not shown').waitFor();
    expect(await rowsOf(page).count()).to.equal(500);
  });

  it('says that the server is away, and goes on when it is back', async () => {
    const page = await openLive();
    await page.context().setOffline(true);
    await page.getByText('Waiting for the server.').waitFor();
    const [newest = ''] = await store(1);
    await page.context().setOffline(false);
    await rowsOf(page).filter({ hasText: newest }).waitFor();
    expect(site.complaints.splice(0).join()).to.include('ERR_INTERNET_DISCONNECTED');
  });

  it('asks less and less often while the server refuses', async () => {
    const page = await openLive();
    await page.clock.install();
    const refusal = { error: { type: 'api_error', code: 'unavailable', message: 'Busy.' } };
    await page.route(LIST, (route) => route.fulfill({ status: 503, json: refusal }));
    await page.getByText('The server could not answer. Trying again in 2 seconds.').waitFor();
    await page.clock.fastForward(2_000);
    await page.getByText('The server could not answer. Trying again in 4 seconds.').waitFor();
    await page.unroute(LIST);
    await page.clock.fastForward(4_000);
    await page.getByText('New events appear here as they happen.').waitFor();
    expect(site.complaints.splice(0).join()).to.include('503');
  });

  it('keeps its rows, and needs little of the processor at 100 events a second', async () => {
    const page = await openLive();
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const busySeconds = async () =>
      (await session.send('Performance.getMetrics')).metrics.find(
        ({ name }) => name === 'TaskDuration',
      )?.value ?? 0;
    // Looking for texts in 500 rows would need more than the page itself.
    const linkTo = (id: string) => page.locator(`tbody td:first-child a[href$="${id}"]`);
    const [first = ''] = await store(100);
    await linkTo(first).waitFor();
    await page.evaluate(`document.querySelector('tbody tr').dataset.mark = 'first'`);
    const before = await busySeconds();
    // Each second it asks, and finds 100 new ones.
    for (let second = 1; second <= SECONDS; second += 1) {
      const [newest = ''] = await store(100);
      await linkTo(newest).waitFor();
      if (second === 3) {
        expect(await page.locator('tr[data-mark=first]').textContent()).to.include(first);
      }
    }
    const share = ((await busySeconds()) - before) / SECONDS;

    expect(share).to.be.below(MAX_SHARE);
    expect(await page.locator('tbody tr').count()).to.equal(500);
  });
});
