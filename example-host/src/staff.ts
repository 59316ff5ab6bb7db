import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Knex } from 'knex';

/** A member of the shop's staff. */
export interface StaffMember {
  readonly id: string;
  readonly name: string;
  /** Their roles in the management API: `viewer`, `support`, `developer`, `security`, `admin`. */
  readonly roles: readonly string[];
}

interface StaffRow extends StaffMember {
  /** `<salt>:<hash>`, both in base64. */
  readonly password: string;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/**
 * Compared with the password if the name is unknown, so that the response time does not reveal
 * names.
 */
const NOBODYS = `${'A'.repeat(22)}==:${'A'.repeat(43)}=`;

const slowHash: (text: string, salt: Buffer, bytes: number) => Promise<unknown> = promisify(scrypt);

/** Adds a member of staff. A changed password would be stored in the same way. */
export async function createStaffMember(
  database: Knex,
  { password, ...facts }: Omit<StaffMember, 'id'> & { readonly password: string },
): Promise<StaffMember> {
  const member = { id: `staff_${randomUUID()}`, ...facts };
  const salt = randomBytes(SALT_BYTES);
  const hash = await hashPassword(password, salt);
  const stored = `${salt.toString('base64')}:${hash.toString('base64')}`;
  await database('shop.staff').insert({ ...member, password: stored });
  return member;
}

/** The member of staff with this name and password; undefined if there is none. */
export async function authenticateStaff(
  database: Knex,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<StaffMember | undefined> {
  const row = await database<StaffRow>('shop.staff').where({ name }).first();
  const [salt = '', hash = ''] = (row?.password ?? NOBODYS).split(':');
  const given = await hashPassword(password, Buffer.from(salt, 'base64'));
  if (!timingSafeEqual(given, Buffer.from(hash, 'base64')) || row === undefined) return undefined;
  return { id: row.id, name: row.name, roles: row.roles };
}

async function hashPassword(password: string, salt: Buffer): Promise<Buffer> {
  const hash = await slowHash(password, salt, HASH_BYTES);
  if (Buffer.isBuffer(hash)) return hash;
  throw new TypeError('scrypt gave no bytes.');
}
