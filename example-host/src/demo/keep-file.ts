import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'paymount';

/** Ignored by git. */
export const FOLDER = '.paymount';
const SEALING_KEY_FILE = `${FOLDER}/demo-sealing-key`;
const LOG_FILE = `${FOLDER}/demo.log`;

/** Writes a file that holds keys: for the owner's eyes, and never seen half-written. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
}

/** The key that seals signing secrets, made once: the next run can open what this one sealed. */
export async function sealingKey(): Promise<string> {
  const kept = await readFile(SEALING_KEY_FILE, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept.trim();
  const made = randomBytes(32).toString('base64');
  await writePrivate(SEALING_KEY_FILE, made);
  return made;
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
