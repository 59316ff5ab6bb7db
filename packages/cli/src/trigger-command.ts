import { post } from './api-client.ts';
import { type ApiFlags, readApiSettings } from './api-settings.ts';
import type { CliContext } from './cli-context.ts';
import { textOf } from './json-value.ts';
import { readOverrides } from './overrides.ts';
import { plainText } from './plain-text.ts';

export interface TriggerFlags extends ApiFlags {
  readonly override?: readonly string[];
  readonly object?: string;
  readonly endpoint?: string;
}

/** Makes an event of a type happen in test. @throws CommandFailure */
export async function triggerCommand(
  type: string,
  { override = [], object, endpoint, ...flags }: TriggerFlags,
  surroundings: CliContext,
): Promise<number> {
  const settings = readApiSettings(flags, surroundings, 'Events are triggered in test alone.');
  const overrides = readOverrides(override);
  const event = await post(settings, '/v1/test_helpers/events', {
    type,
    ...(override.length > 0 && { overrides }),
    ...(object !== undefined && { object }),
    ...(endpoint !== undefined && { endpoint }),
  });
  surroundings.report(event, [plainText(`${textOf(event, 'id')} ${textOf(event, 'type')}`)]);
  return 0;
}
