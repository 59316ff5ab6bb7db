import type { Page } from 'playwright-core';

/** One picture of the guides. */
export interface Shot {
  /** Of the file, without `.png`. */
  readonly name: string;
  readonly scheme?: 'light' | 'dark';
  /** Leads from the page of the shot before to what this one shows. */
  open(page: Page): Promise<void>;
}

const goTo = (name: string) => async (page: Page) => {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

export const SHOTS: readonly Shot[] = [
  { name: 'dashboard-home', open: goTo('Home') },
  {
    name: 'dashboard-key',
    async open(page) {
      await goTo('API keys')(page);
      await page.getByRole('link', { name: 'Checkout', exact: true }).click();
      await page.getByRole('heading', { name: 'Checkout' }).waitFor();
    },
  },
  {
    name: 'dashboard-delivery',
    async open(page) {
      await goTo('Webhooks')(page);
      await page.getByRole('link', { name: /newsletter/ }).click();
      await page.getByRole('link', { name: 'charge.succeeded' }).first().click();
      await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
    },
  },
  { name: 'dashboard-events', scheme: 'dark', open: goTo('Events') },
];
