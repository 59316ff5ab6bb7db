import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FOLDER, SEALING_KEYS_FILE, writePrivate } from './keep-file.ts';
import type { Stage } from './stage.ts';
import type { UndoStack } from './undo-stack.ts';

/** Where the demo tells programs its addresses and keys. */
export const DEMO_FILE = `${FOLDER}/demo.json`;

/** The pid of a demo that runs in this folder already, if there is one. */
export async function otherDemo(): Promise<number | undefined> {
  const pid = await pidInFile();
  return pid !== undefined && isAlive(pid) ? pid : undefined;
}

/** What the file says: where everything is, and what opens it. Of the sealing keys only their file. */
export function factsOf(stage: Stage): object {
  const { environments, receiverUrl, management, merchant, databaseUrl } = stage;
  return {
    environments,
    receiver: { url: receiverUrl },
    management,
    account: merchant.account,
    databaseUrl,
    sealingKeysFile: resolve(SEALING_KEYS_FILE),
  };
}

/** Writes the file with our pid; closing deletes it, unless a later demo made it its own. */
export async function writeDemoFile(facts: object, undo: UndoStack): Promise<void> {
  undo.push(async () => {
    if ((await pidInFile()) === process.pid) await rm(DEMO_FILE, { force: true });
  });
  await writePrivate(DEMO_FILE, `${JSON.stringify({ pid: process.pid, ...facts }, null, 2)}\n`);
}

async function pidInFile(): Promise<number | undefined> {
  const text = await readFile(DEMO_FILE, 'utf8').catch(() => '');
  const pid = Number(/^ {2}"pid": (\d+),$/m.exec(text)?.[1]);
  return Number.isInteger(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
