import {
  type BankAccountDirectory,
  type BankAccountService,
  LiveBankAccountResource,
  toBankAccountResource,
} from '@paymount/core/payments';
import { Nothing } from '@paymount/http';
import { callFor, type ManagementRoute, routesUnder, target } from '@paymount/management';

const NAME = { noun: 'bank account', prefix: 'ba' } as const;

export interface BankAccountRoutesPorts {
  readonly bankAccounts: Pick<BankAccountService, 'confirm'>;
  readonly destinations: Pick<BankAccountDirectory, 'find'>;
}

/**
 * Ends the hold of a new destination of payouts. Only a user of the merchant who has just logged in
 * may: a key, also a stolen one, has no such route.
 */
export function bankAccountRoutes(ports: BankAccountRoutesPorts): readonly ManagementRoute[] {
  const route = routesUnder('/bank_accounts');
  route.post(
    '/:id/confirm',
    {
      permission: 'accounts.write',
      freshLogin: true,
      operationId: 'confirmBankAccount',
      summary: 'Confirm a bank account: payouts that wait for it are sent at once',
      body: Nothing,
      response: LiveBankAccountResource,
    },
    async ({ call, path }) => {
      const { admin } = call;
      const found = await target(call, NAME, path.id, (id) => ports.destinations.find(admin, id));
      return toBankAccountResource(
        await ports.bankAccounts.confirm(callFor(call, found), found.id),
      );
    },
  );
  return route.routes;
}
