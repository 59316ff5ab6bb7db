import type { AccountId } from '@paymount/core/kernel';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { AdminApp } from './admin-app.ts';

interface Owner {
  readonly account: AccountId;
  readonly environment: 'live' | 'test';
}

const SALE = { amount: 500, currency: 'eur' };

/** A sale of which the bank approved another amount. @returns the id of its operation */
export async function contradictedOperation(
  app: AdminApp,
  owner: Owner,
  metadata: Record<string, string> = {},
): Promise<string> {
  const { paymentMethods, charges } = app.paymount;
  const card = { type: 'card', card: { token: 'tok_amount_tampered' } } as const;
  const method = await paymentMethods.create(owner, card);
  const sale = { ...SALE, payment_method: method.id, metadata };
  const charge = await charges.create(owner, sale);
  return (await operationFor(app, owner, charge.id)).id;
}

/** A sale that was settled, and then approved once more. @returns the id of its operation */
export async function lateOperation(app: AdminApp, owner: Owner): Promise<string> {
  const { paymentMethods, charges } = app.paymount;
  const card = { type: 'card', card: { token: 'tok_visa' } } as const;
  const method = await paymentMethods.create(owner, card);
  const charge = await charges.create(owner, { ...SALE, payment_method: method.id });
  const operation = await operationFor(app, owner, charge.id);
  const again = { ...SALE, outcome: 'approved', processorReference: 'a second payment' } as const;
  const { runner } = partsOf(app.paymount);
  await runner.record({ ...operation, version: operation.version - 1 }, again);
  return operation.id;
}

async function operationFor(app: AdminApp, { account, environment }: Owner, subject: string) {
  const { operations } = partsOf(app.paymount).stores.directory;
  const scope = { accounts: [account], environments: [environment] };
  const { data } = await operations.list(scope, { state: 'any', subject }, { limit: 1 });
  const [operation] = data;
  if (operation === undefined) throw new Error(`${subject} has no operation.`);
  return operation;
}
