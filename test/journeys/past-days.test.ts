import { expect } from 'chai';
import { livePastDays } from '../../example-host/src/demo/past-days.ts';
import { UndoStack } from '../../example-host/src/demo/undo-stack.ts';
import { createShopTables, openShopDatabase } from '../../example-host/src/shop-database.ts';
import { freshDatabase, query } from '../support/database.ts';
import { SILENT } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';

const LIMIT_MS = 60_000;
const DAY_MS = 86_400_000;

describe('The past days of the demo', function () {
  this.timeout(LIMIT_MS);

  it('are traffic of each hour up to now, with an endpoint that fails', async () => {
    const { url, drop } = await freshDatabase();
    const undo = new UndoStack();
    undo.push(() => drop());
    const database = openShopDatabase(url);
    undo.push(() => database.destroy());
    await createShopTables(database);
    try {
      const bank = { url: 'http://127.0.0.1:9', key: 'unused' };
      const [sealingKey] = makeSealingKeys();
      const settings = {
        database,
        bank,
        logger: SILENT,
        sealingKeys: [sealingKey].filter((key) => key !== undefined),
      };
      const startMs = Date.now();
      const { account } = await livePastDays(settings, { days: 1, undo });
      const charges = await query(
        url,
        'SELECT status, created FROM paymount.charges WHERE account_id = $1 ORDER BY created',
        [account],
      );
      // So many buyers have the hours of a day; a busy machine skips none of them.
      expect(charges.length).to.be.within(126, 150);
      const times = charges.map(({ created }) => (created as Date).getTime());
      expect(times[0]).to.be.closeTo(startMs - DAY_MS, 3_600_000 * 5);
      expect(times.at(-1)).to.be.closeTo(Date.now(), 3_600_000 * 5);
      expect(charges.filter(({ status }) => status === 'failed').length).to.be.within(7, 9);
      const outcomes = await query(
        url,
        `SELECT e.description, d.state, count(*)::integer AS count FROM paymount.deliveries d
          JOIN paymount.webhook_endpoints e ON e.id = d.endpoint_id GROUP BY 1, 2`,
      );
      const states = (description: string) =>
        outcomes.filter((row) => row['description'] === description).map((row) => row['state']);
      expect(states('Bookkeeping')).to.deep.equal(['succeeded']);
      expect(states('Newsletter')).to.have.members(['succeeded', 'pending']);
      const used = await query(
        url,
        `SELECT name, NOT EXISTS (SELECT FROM paymount.key_usage u WHERE u.key_id = k.id) AS unused
          FROM paymount.api_keys k ORDER BY name`,
      );
      expect(used).to.deep.equal([
        { name: 'Agency', unused: true },
        { name: 'Back office', unused: false },
        { name: 'Checkout', unused: false },
        { name: 'Old laptop', unused: true },
      ]);
    } finally {
      await undo.close();
    }
  });
});
