import { type CliContext, EXIT } from '@paymount/cli';
import { newId } from '@paymount/core/kernel';
import { HookRemoveInput } from '@paymount/core/payments';
import { assertNoForbiddenTexts, validateInput } from '@paymount/http';
import { systemClock } from '../../adapters/system-clock.ts';
import { commandCaller } from '../caller.ts';
import { countHookWaits, describeHookWaits } from '../hook-waits.ts';
import { readSettings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';

/** `paymount hook show`: whether results are recorded with a hook. */
export async function showHookCommand(context: CliContext): Promise<number> {
  const { since, waiting } = await withStorage(
    await readSettings(context),
    async ({ hookUse, directory }) => ({
      since: await hookUse.since(),
      waiting: await countHookWaits(directory),
    }),
  );
  context.report({ in_use: since !== undefined, since: since?.toISOString() ?? null, waiting }, [
    since === undefined
      ? 'No hook is in use.'
      : `A hook is in use since ${since.toISOString()}: processes without it record no results.`,
    ...(waiting === 0 ? [] : [`${describeHookWaits(waiting)} for it for more than 5 minutes.`]),
  ]);
  return EXIT.done;
}

/**
 * `paymount hook remove`: results no longer need a hook. The audit log records who decided that,
 * and why.
 */
export async function removeHookCommand(
  context: CliContext,
  { reason }: { readonly reason: string },
): Promise<number> {
  assertNoForbiddenTexts({ reason }, { cards: true });
  const input = validateInput(HookRemoveInput, { reason });
  const { removed, waiting } = await withStorage(
    await readSettings(context),
    async ({ hookUse, directory }) => ({
      waiting: await countHookWaits(directory),
      removed: await hookUse.end({
        ...commandCaller().by,
        requestId: newId('req'),
        action: 'hook.remove',
        target: 'hook',
        after: { reason: input.reason.trim() },
        created: systemClock.now(),
      }),
    }),
  );
  const left = `${describeHookWaits(waiting)} for it for more than 5 minutes; workers without a hook record them now.`;
  context.report({ removed, waiting }, [
    removed
      ? 'The hook is removed: every process records results. The next process that starts with a hook brings it back.'
      : 'No hook was in use.',
    ...(removed && waiting > 0 ? [left] : []),
  ]);
  return EXIT.done;
}
