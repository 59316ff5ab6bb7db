import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FOLDER, SEALING_KEYS_FILE, writePrivate } from './demo-folder.ts';
import type { Setup } from './setup.ts';
import type { UndoStack } from './undo-stack.ts';

const DEMO_FILE = `${FOLDER}/demo.json`;

/** The file with the addresses and keys of a demo, for other programs. */
export interface Place {
  readonly file: string;
  /** Another demo that already runs in this folder and uses the default file. */
  readonly other?: { readonly pid: number; readonly file: string };
}

/** The default file, unless a running demo uses it; then a file with our process id in its name. */
export async function findPlace(): Promise<Place> {
  const pid = await pidIn(DEMO_FILE);
  if (pid === undefined || !isAlive(pid)) return { file: DEMO_FILE };
  return { file: `${FOLDER}/demo-${process.pid}.json`, other: { pid, file: DEMO_FILE } };
}

/**
 * The content of the file: addresses, keys and tokens. Of the sealing keys it has only their file.
 */
export function toFacts(setup: Setup): object {
  const { environments, receiverUrl, management, merchant, databaseUrl, oauth } = setup;
  return {
    environments,
    receiver: { url: receiverUrl },
    management,
    oauth,
    dashboard: { url: dashboardUrl(setup) },
    account: merchant.account,
    databaseUrl,
    sealingKeysFile: resolve(SEALING_KEYS_FILE),
  };
}

/** The address of the merchants' dashboard, for the user of `oauth.loginAs`. */
export function dashboardUrl({ environments }: Pick<Setup, 'environments'>): string {
  return `${environments.test.baseUrl}/dashboard/`;
}

/**
 * Writes the file with our process id. Closing deletes it, unless another demo has taken it over.
 */
export async function writeDemoFile(file: string, facts: object, undo: UndoStack): Promise<void> {
  undo.push(async () => {
    if ((await pidIn(file)) === process.pid) await rm(file, { force: true });
  });
  await writePrivate(file, `${JSON.stringify({ pid: process.pid, ...facts }, null, 2)}\n`);
}

async function pidIn(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number(/^ {2}"pid": (\d+),$/m.exec(text)?.[1]);
  return Number.isInteger(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process is running, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
