import { type CliContext, EXIT } from '@paymount/cli';
import { readSettings } from '../settings.ts';

/** `paymount migrate`: brings the schema up to this version. */
export async function migrateCommand(context: CliContext): Promise<number> {
  const { adapter } = await readSettings(context);
  const applied = await adapter.migrate();
  context.report({ applied }, [
    ...applied.map((name) => `applied ${name}`),
    applied.length === 0
      ? 'The schema is up to date; nothing was applied.'
      : 'The schema is up to date.',
  ]);
  return EXIT.done;
}
