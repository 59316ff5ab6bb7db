import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'paymount';
import type { PaymentSettings } from '../shop-payments.ts';

/** Ignored by git. */
export const FOLDER = '.paymount';
/** The ring as `PAYMOUNT_KEYS` takes it: `name:base64`, newest first, between commas. */
export const SEALING_KEYS_FILE = `${FOLDER}/demo-sealing-key`;
const FIRST_KEY = 'shop';
const LOG_FILE = `${FOLDER}/demo.log`;

/** Writes a file that holds keys: for the owner's eyes, and never seen half-written. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
}

/**
 * The ring that seals signing secrets. Its first key is made once, so that the next run can open
 * what this one sealed; whoever rotates it edits the file and starts the demo again.
 */
export async function sealingKeys(): Promise<PaymentSettings['sealingKeys']> {
  const kept = await readFile(SEALING_KEYS_FILE, 'utf8').catch(() => '');
  // Without a name it is of an earlier demo, whose one key had this one.
  const key = kept.trim() || randomBytes(32).toString('base64');
  const ring = key.includes(':') ? key : `${FIRST_KEY}:${key}`;
  if (ring !== key) await writePrivate(SEALING_KEYS_FILE, `${ring}\n`);
  return ring.split(',').map((pair) => {
    const [kid = '', bytes = ''] = pair.split(':');
    return { kid: kid.trim(), key: bytes.trim() };
  });
}

/** Keeps Paymount's log beside the demo's few lines. */
export async function openLog(): Promise<{ readonly file: string; readonly logger: Logger }> {
  await writePrivate(LOG_FILE, '');
  const line =
    (level: string): Logger['info'] =>
    ({ err, ...facts }, message) => {
      const error = err instanceof Error ? { err: err.stack ?? err.message } : {};
      appendFileSync(LOG_FILE, `${JSON.stringify({ level, message, ...facts, ...error })}\n`);
    };
  return {
    file: LOG_FILE,
    logger: {
      debug: () => undefined,
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
    },
  };
}
