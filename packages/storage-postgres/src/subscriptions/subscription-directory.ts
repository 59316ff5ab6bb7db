import type { SubscriptionDirectory } from '@paymount/core/billing';
import { livemode } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { PRICE_COLUMNS, toPrice } from '../prices/price-rows.ts';
import { adminPage, compared, failing, filtersWithin, findForAdmin } from '../shared/admin-rows.ts';
import type { StoredRow } from '../shared/facts-of-row.ts';
import { clockColumns } from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';
import {
  type PeriodRow,
  SUBSCRIPTION_COLUMNS,
  type SubscriptionRow,
  selectPeriods,
  toPeriod,
  toSubscription,
} from './subscription-rows.ts';

const prices = statement(
  'pm_subscriptions_prices_v1',
  (s) => `SELECT ${PRICE_COLUMNS.map((name) => `p.${name}`).join(', ')}
    FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::boolean[], $3::text[])
      AS a (account_id, livemode, id)) a
    JOIN ${s}.prices p ON (p.account_id, p.livemode, p.id) = (a.account_id, a.livemode, a.id)`,
);
const newestPeriods = statement(
  'pm_billing_periods_newest_v1',
  (s) => `${selectPeriods(s)} ORDER BY index DESC LIMIT $4`,
);

/** Subscriptions, for admins. */
export function subscriptionDirectory(session: Session): SubscriptionDirectory {
  const { schema: s } = session.statements;
  const table = { name: 'subscriptions', columns: [...SUBSCRIPTION_COLUMNS, clockColumns(s, 't')] };
  return {
    async find(scope, id) {
      const row = await findForAdmin<SubscriptionRow>(session, table, filtersWithin(scope), id);
      return row && toSubscription(row);
    },
    async list(scope, filter, page) {
      const { declineClass } = filter;
      const conditions = [
        ...compared('status', '=', filter.status, 'text'),
        ...compared('customer_id', '=', filter.customerId, 'text'),
        ...compared('next_action_at', '<', filter.dueBefore, 'timestamptz'),
        ...failing(filter.isFailing),
        ...compared(`state #>> '{dunning,declineClass}'`, '=', declineClass, 'text'),
      ];
      const asked = filtersWithin(scope, filter);
      const found = await adminPage<SubscriptionRow>(session, table, asked, { conditions, page });
      return { ...found, data: found.data.map(toSubscription) };
    },
    async pricesOf(subscriptions) {
      const wanted = subscriptions.flatMap(({ accountId, environment, items }) =>
        items.map(({ priceId }) => [accountId, livemode(environment), priceId] as const),
      );
      const columns = [0, 1, 2].map((column) => wanted.map((each) => each[column]));
      return (await session.query<StoredRow>(prices, columns)).rows.map(toPrice);
    },
    async periodsOf({ accountId, environment, id }, limit) {
      const values = [accountId, livemode(environment), id, limit];
      return (await session.query<PeriodRow>(newestPeriods, values)).rows.map(toPeriod);
    },
  };
}
