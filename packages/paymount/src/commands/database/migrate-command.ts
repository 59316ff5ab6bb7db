import type { Context } from '../context.ts';
import { EXIT } from '../terminal.ts';

/** `paymount migrate`: brings the schema up to this version. */
export async function migrateCommand(context: Context): Promise<number> {
  const { adapter } = await context.settings();
  const applied = await adapter.migrate();
  context.report({ applied }, [
    ...applied.map((name) => `applied ${name}`),
    applied.length === 0
      ? 'The schema is up to date; nothing was applied.'
      : 'The schema is up to date.',
  ]);
  return EXIT.done;
}
