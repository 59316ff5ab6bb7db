import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/**
 * Compared with the password if the name is unknown, so that the response time does not reveal
 * names.
 */
const NOBODYS = `${'A'.repeat(22)}==:${'A'.repeat(43)}=`;

const slowHash: (text: string, salt: Buffer, bytes: number) => Promise<unknown> = promisify(scrypt);

/** A password as it is stored: `<salt>:<hash>`, both in base64. */
export async function storedPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await hashPassword(password, salt);
  return `${salt.toString('base64')}:${hash.toString('base64')}`;
}

/** Whether a password is the stored one. @param stored undefined for an unknown name */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [salt = '', hash = ''] = (stored ?? NOBODYS).split(':');
  const given = await hashPassword(password, Buffer.from(salt, 'base64'));
  return timingSafeEqual(given, Buffer.from(hash, 'base64')) && stored !== undefined;
}

async function hashPassword(password: string, salt: Buffer): Promise<Buffer> {
  const hash = await slowHash(password, salt, HASH_BYTES);
  if (Buffer.isBuffer(hash)) return hash;
  throw new TypeError('scrypt gave no bytes.');
}
