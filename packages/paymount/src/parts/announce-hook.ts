import type { Parts } from './parts.ts';

/**
 * Tells all processes of the hook, before this one records a result. A process without one says what
 * it leaves to the others.
 */
export async function announceHook({
  options: { hook },
  stores: { hookUse },
  logger,
}: Pick<Parts, 'options' | 'stores' | 'logger'>): Promise<void> {
  if (hook !== undefined) return hookUse.begin();
  const since = await hookUse.since();
  if (since === undefined) return;
  logger.error(
    { since: since.toISOString() },
    'Results are recorded with a hook here, and this process has none: it keeps them for processes that have it. Start it with the same `hook`; if no process has it any more, run `paymount hook remove`.',
  );
}
