import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FOLDER, SEALING_KEYS_FILE, writePrivate } from './demo-folder.ts';
import type { Stage } from './stage.ts';
import type { UndoStack } from './undo-stack.ts';

const DEMO_FILE = `${FOLDER}/demo.json`;

/** Where a demo tells programs its addresses and keys. */
export interface Place {
  readonly file: string;
  /** The demo that runs in this folder already, and keeps the usual file. */
  readonly other?: { readonly pid: number; readonly file: string };
}

/** The usual file, unless a demo that runs has it: then one that carries our pid. */
export async function findPlace(): Promise<Place> {
  const pid = await pidIn(DEMO_FILE);
  if (pid === undefined || !isAlive(pid)) return { file: DEMO_FILE };
  return { file: `${FOLDER}/demo-${process.pid}.json`, other: { pid, file: DEMO_FILE } };
}

/** What the file says: where everything is, and what opens it. Of the sealing keys only their file. */
export function toFacts(stage: Stage): object {
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

/** Writes the file with our pid; closing deletes it, unless another demo made it its own. */
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
    // It lives, and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
