import type { AccountId } from '@paymount/core/kernel';
import type { Environment } from 'paymount';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { adminSetup } from '../support/admin-setup.ts';
import { fakeClock } from '../support/clock.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { query } from '../support/database.ts';
import { fakeLogin } from '../support/fake-login.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type DashboardSetup, MOUNT, openDashboard } from './dashboard-setup.ts';
import type { MerchantBelongings } from './dashboard-table.ts';

/** A dashboard with one object of each kind in both environments, of the account of the setup. */
export interface FullDashboard extends DashboardSetup {
  readonly own: Readonly<Record<Environment, MerchantBelongings>>;
}

/** A dashboard with such objects of another account, too. */
export interface SharedDashboard extends FullDashboard {
  readonly foreign: FullDashboard['own'];
}

/** Starts it; `close()` it in `after`. */
export function startFullDashboard(): Promise<FullDashboard> {
  return fillDashboard(async (app, belongingsOf) => ({ own: await belongingsOf(app.account) }));
}

/** Starts it; `close()` it in `after`. */
export function startSharedDashboard(): Promise<SharedDashboard> {
  return fillDashboard(async (app, belongingsOf) => ({
    own: await belongingsOf(app.account),
    foreign: await belongingsOf(await app.newAccount()),
  }));
}

async function fillDashboard<Made>(
  make: (
    app: AdminApp,
    belongingsOf: (account: AccountId) => Promise<FullDashboard['own']>,
  ) => Promise<Made>,
): Promise<DashboardSetup & Made> {
  const clock = fakeClock();
  const processors = { live: new LiveBank(clock) };
  const app = await startAdminApp({ clock, paymount: { processors } });
  const login = fakeLogin();
  const { identity } = login;
  app.app.use(MOUNT, app.paymount.dashboardRouter({ identity, requireTls: false }));
  const setup = await adminSetup(app);
  const belongings = async (account: AccountId, environment: Environment) => ({
    ...(await setup.belongings(account, environment)),
    ...(await merchantBelongings(app, account, environment)),
  });
  const made = await make(app, async (account) => ({
    test: await belongings(account, 'test'),
    live: await belongings(account, 'live'),
  }));
  await app.worker.drain();
  // It would write to tables that tests compare.
  await app.worker.close();
  return {
    ...openDashboard(app, { clock, login }),
    ...made,
    async close() {
      await setup.close();
      await app.close();
    },
  };
}

/** What admins do not see. */
async function merchantBelongings(
  { paymount, databaseUrl }: AdminApp,
  account: AccountId,
  environment: Environment,
) {
  const acting = { account, environment };
  const card = { type: 'card', card: { token: 'tok_visa' } } as const;
  const { id: method } = await paymount.paymentMethods.create(acting, card);
  const sale = { amount: 500, currency: 'eur', payment_method: method } as const;
  const charge = await paymount.charges.create(acting, sale);
  const refund = await paymount.refunds.create(acting, { charge: charge.id, amount: 1 });
  const customer = await paymount.customers.create(acting, { name: 'Ada' });
  const [application, disconnected] = await connectTwo(paymount, account, environment);
  // Each bank account is one that can be confirmed.
  await query(
    databaseUrl,
    `UPDATE paymount.bank_accounts SET held_until = '2099-01-01' WHERE account_id = $1`,
    [account],
  );
  return {
    refund: refund.id,
    line: String(charge.balance_transaction),
    customer: customer.id,
    application,
    disconnected,
  };
}
