import { startApp } from '../support/app.ts';
import { billingLaws } from '../support/billing-laws.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { query } from '../support/database.ts';
import type { Scenario } from './scenario.ts';

const START = '2030-01-31T12:00:00.000Z';
const END = '2031-01-31T12:00:00.000Z';
/** The first period, and the twelve that begin until the end. */
const PERIODS = 13;
const PER_CLOCK = 100;
/** For 1,000 subscriptions. */
const MOST_SECONDS = 30;

/** Subscriptions on test clocks. */
export const subscriptionYears: Scenario = {
  name: 'year',
  law: `1,000 subscriptions go through a year of test clocks in ${MOST_SECONDS} s, and each period is billed once.`,
  sizes: { small: 100, whole: 1_000 },
  async run(size) {
    const app = await startApp({ paymount: { rateLimit: false } });
    try {
      const shop = new ClockSetup(app);
      const price = await shop.make('/v1/prices', {
        product_data: { name: 'Basic' },
        currency: 'eur',
        unit_amount: 1_000,
        recurring: { interval: 'month' },
      });
      const clocks: string[] = [];
      for (let made = 0; made < size; made += 1) {
        if (made % PER_CLOCK === 0) clocks.push(await shop.clock(START));
        const customer = await shop.customer(clocks.at(-1) ?? '');
        await shop.make('/v1/subscriptions', { customer, items: [{ price: price['id'] }] });
      }
      const started = performance.now();
      for (const clock of clocks) {
        const path = `/v1/test_helpers/test_clocks/${clock}/advance`;
        await shop.make(path, { frozen_time: END });
      }
      await app.worker.drain();
      const seconds = (performance.now() - started) / 1_000;
      const [row] = await query<{ count: number }>(
        app.databaseUrl,
        'SELECT count(*)::integer AS count FROM paymount.billing_periods',
      );
      const periods = row?.count ?? 0;
      const violations = [...(await billingLaws(app.databaseUrl))];
      if (periods !== PERIODS * size) violations.push(`${periods} periods were begun`);
      const most = (MOST_SECONDS * size) / 1_000;
      if (seconds > most) violations.push(`it took ${seconds.toFixed(1)} s; ${most} s may be`);
      const renewal = (seconds * 1_000) / (periods - size);
      return { violations, figures: { seconds, periods, 'a renewal, ms': renewal } };
    } finally {
      await app.close();
    }
  },
};
