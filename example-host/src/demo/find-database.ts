import { startPostgres } from 'paymount/testing';
import { assertDatabase } from './assert-database.ts';
import type { UndoStack } from './undo-stack.ts';

/**
 * The server of `DATABASE_URL`, or a new one that ends with this process.
 * @throws Error that names the variable if its server cannot be used
 */
export async function findDatabase(
  undo: UndoStack,
  given = process.env['DATABASE_URL'],
): Promise<{ readonly url: string; readonly described: string }> {
  if (given) {
    await assertDatabase(given);
    return { url: given, described: 'the one of DATABASE_URL' };
  }
  const startedMs = performance.now();
  const server = await startPostgres({ fsync: true });
  undo.push(() => server.stop());
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  return { url: server.url, described: `our own on ${new URL(server.url).host}, in ${seconds} s` };
}
