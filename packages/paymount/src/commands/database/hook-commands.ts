import { type CliContext, EXIT } from '@paymount/cli';
import { readSettings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';

/** `paymount hook show`: whether results are recorded with a hook. */
export async function showHookCommand(context: CliContext): Promise<number> {
  const since = await withStorage(await readSettings(context), ({ hookUse }) => hookUse.since());
  context.report({ in_use: since !== undefined, since: since?.toISOString() ?? null }, [
    since === undefined
      ? 'No hook is in use.'
      : `A hook is in use since ${since.toISOString()}: processes without it record no results.`,
  ]);
  return EXIT.done;
}

/** `paymount hook remove`: results need no hook any more. */
export async function removeHookCommand(context: CliContext): Promise<number> {
  const removed = await withStorage(await readSettings(context), ({ hookUse }) => hookUse.end());
  context.report({ removed }, [
    removed
      ? 'The hook is removed: every process records results. The next process that starts with a hook brings it back.'
      : 'No hook was in use.',
  ]);
  return EXIT.done;
}
