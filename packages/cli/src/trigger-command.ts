import { post } from './api-client.ts';
import { type ApiFlags, readApiSettings } from './api-settings.ts';
import type { CliContext } from './command-line/cli-context.ts';
import { EXIT } from './command-line/command-failure.ts';
import { stringField } from './json-value.ts';
import { readOverrides } from './overrides.ts';
import { plainText } from './plain-text.ts';

export interface TriggerFlags extends ApiFlags {
  readonly override?: readonly string[];
  readonly object?: string;
  readonly endpoint?: string;
}

/** Triggers an event of a type in the test environment. @throws CommandFailure */
export async function triggerCommand(
  context: CliContext,
  type: string,
  { override = [], object, endpoint, ...flags }: TriggerFlags,
): Promise<number> {
  const settings = readApiSettings(flags, context, 'Events are triggered in test alone.');
  const overrides = readOverrides(override);
  const event = await post(settings, '/v1/test_helpers/events', {
    type,
    ...(override.length > 0 && { overrides }),
    ...(object !== undefined && { object }),
    ...(endpoint !== undefined && { endpoint }),
  });
  context.report(event, [plainText(`${stringField(event, 'id')} ${stringField(event, 'type')}`)]);
  return EXIT.done;
}
