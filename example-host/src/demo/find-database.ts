import { startPostgres } from 'paymount/testing';
import type { UndoStack } from './undo-stack.ts';

/** The server of `DATABASE_URL`, or a new one that ends with this process. */
export async function findDatabase(
  undo: UndoStack,
): Promise<{ readonly url: string; readonly described: string }> {
  const given = process.env['DATABASE_URL'];
  if (given) return { url: given, described: 'the one of DATABASE_URL' };
  const startedMs = performance.now();
  const server = await startPostgres({ fsync: true });
  undo.push(() => server.stop());
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  return { url: server.url, described: `our own on ${new URL(server.url).host}, in ${seconds} s` };
}
