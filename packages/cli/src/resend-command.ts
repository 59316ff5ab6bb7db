import { post } from './api-client.ts';
import { type ApiFlags, readApiSettings } from './api-settings.ts';
import type { CliContext } from './command-line/cli-context.ts';
import { EXIT, usage } from './command-line/command-failure.ts';
import { isObject, stringField } from './json-value.ts';
import { plainText } from './plain-text.ts';

export interface ResendFlags extends ApiFlags {
  readonly endpoint?: string;
}

/** Sends an event again, in new deliveries. @throws CommandFailure */
export async function resendCommand(
  context: CliContext,
  event: string,
  { endpoint, ...flags }: ResendFlags,
): Promise<number> {
  const settings = readApiSettings(flags, context);
  if (!/^evt_\w{1,64}$/.test(event)) throw usage('An event has an id such as evt_...');
  const path = `/v1/events/${event}/replay`;
  const { data } = await post(settings, path, endpoint === undefined ? {} : { endpoint });
  const deliveries = Array.isArray(data) ? data.filter(isObject) : [];
  context.report({ deliveries }, deliveries.map(toLine));
  if (deliveries.length === 0) {
    context.printNote(
      'No endpoint takes this event, so nothing is sent. Name one with --endpoint.',
    );
  }
  return EXIT.done;
}

function toLine(delivery: Readonly<Record<string, unknown>>): string {
  return plainText(
    ['id', 'endpoint', 'status'].map((name) => stringField(delivery, name)).join(' '),
  );
}
