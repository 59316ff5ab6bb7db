import { type ApiFlags, readApiSettings } from '../api-settings.ts';
import type { CliContext } from '../command-line/cli-context.ts';
import { EXIT, usage } from '../command-line/command-failure.ts';
import { EventSource, type StreamedEvent } from './event-source.ts';
import { type Forwarded, Forwarder, forwardAddress } from './forwarder.ts';
import { readListenSecret, secretFile } from './listen-secret.ts';

export interface ListenFlags extends ApiFlags {
  readonly forwardTo?: string;
  /** Comma-separated. */
  readonly types?: string;
  readonly printSecret?: true;
}

/**
 * Forwards test events to this machine, one by one in the order of the stream, until it is
 * interrupted. It refuses a live key and any other address before it reads or connects to anything.
 * @throws CommandFailure
 */
export async function listenCommand(
  context: CliContext,
  { forwardTo, types, printSecret, ...flags }: ListenFlags,
): Promise<number> {
  const file = secretFile(context);
  if (printSecret) {
    const secret = readListenSecret(file);
    context.report({ secret }, [secret]);
    return EXIT.done;
  }
  if (forwardTo === undefined) {
    throw usage('Pass the URL to forward to: --forward-to http://127.0.0.1:3000/webhooks.');
  }
  const url = forwardAddress(forwardTo);
  const wanted = typesIn(types);
  const settings = readApiSettings(flags, context, 'Only events of test are forwarded.');
  const secret = readListenSecret(file);
  const stop = context.interrupted();
  const forwarder = new Forwarder({ url, secret, stop });
  const source = new EventSource({
    settings,
    types: wanted,
    stop,
    onOpen: () =>
      context.printNote(
        `Events of test are forwarded to ${url}, signed with the secret that --print-secret shows. Stop with Ctrl-C.`,
      ),
    onCut: (reason, waitMs) =>
      context.printNote(`The stream was cut: ${reason}. Trying again in ${waitMs / 1_000} s.`),
  });
  for await (const event of source.events()) {
    const forwarded = await forwarder.forward(event);
    if (!stop.aborted) reportForwarded(context, event, forwarded);
  }
  return EXIT.done;
}

/** The API checks whether these types exist. */
function typesIn(text: string | undefined): readonly string[] {
  const types = text?.split(',').map((type) => type.trim()) ?? [];
  if (!types.includes('')) return types;
  throw usage('--types takes types and families with commas between: charge.*,payout.paid.');
}

function reportForwarded(
  { report }: CliContext,
  { id, type }: StreamedEvent,
  { status, error, ms }: Forwarded,
): void {
  const time = new Date().toISOString();
  const outcome = status === undefined ? `failed: ${error}` : describe(status);
  report({ time, type, id, status: status ?? null, ms, error: error ?? null }, [
    `${time} ${type} ${id} ${outcome} ${ms} ms`,
  ]);
}

function describe(status: number): string {
  return status >= 300 && status < 400 ? `${status} (a redirect, not followed)` : String(status);
}
