import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { isPassword, storedPassword } from './passwords.ts';

/** A member of the shop's staff. */
export interface StaffMember {
  readonly id: string;
  readonly name: string;
  /** Their roles in the management API: `viewer`, `support`, `developer`, `security`, `admin`. */
  readonly roles: readonly string[];
}

interface StaffRow extends StaffMember {
  readonly password: string;
}

/** Adds a member of staff. A changed password would be stored in the same way. */
export async function createStaffMember(
  database: Knex,
  { password, ...facts }: Omit<StaffMember, 'id'> & { readonly password: string },
): Promise<StaffMember> {
  const member = { id: `staff_${randomUUID()}`, ...facts };
  await database('shop.staff').insert({ ...member, password: await storedPassword(password) });
  return member;
}

/** The member of staff with this name and password; undefined if there is none. */
export async function authenticateStaff(
  database: Knex,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<StaffMember | undefined> {
  const row = await database<StaffRow>('shop.staff').where({ name }).first();
  if (!(await isPassword(password, row?.password)) || row === undefined) return undefined;
  return { id: row.id, name: row.name, roles: row.roles };
}
