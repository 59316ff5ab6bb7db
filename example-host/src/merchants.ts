import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { HostUser } from 'paymount';
import { isPassword, storedPassword } from './passwords.ts';

/** A person who works for merchants, and logs in to the shop for them. */
export interface MerchantUser {
  readonly id: string;
  readonly name: string;
  readonly accounts: HostUser['accounts'];
}

interface MerchantRow extends MerchantUser {
  readonly password: string;
}

/** Adds a user with accounts of Paymount. */
export async function createMerchantUser(
  database: Knex,
  { name, password, accounts }: Omit<MerchantRow, 'id'>,
): Promise<MerchantUser> {
  const user = { id: `user_${randomUUID()}`, name };
  await database('shop.merchant_users').insert({
    ...user,
    password: await storedPassword(password),
    accounts: JSON.stringify(accounts),
  });
  return { ...user, accounts };
}

/** The user with this name and password; undefined if there is none. */
export async function authenticateMerchantUser(
  database: Knex,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<MerchantUser | undefined> {
  const row = await database<MerchantRow>('shop.merchant_users').where({ name }).first();
  if (!(await isPassword(password, row?.password)) || row === undefined) return undefined;
  return { id: row.id, name: row.name, accounts: row.accounts };
}
