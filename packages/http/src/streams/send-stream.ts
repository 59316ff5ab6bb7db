import type { ServerResponse } from 'node:http';
import { begin, type ResponseOptions } from '../render-response.ts';
import type { EventStream } from './event-stream.ts';

/** A client that reads nothing for this time is disconnected; about 16 KiB wait for it here. */
const DRAIN_LIMIT_MS = 30_000;

/**
 * Writes a stream until either side ends it; HEAD gets only the headers. An error ends the answer:
 * a client reconnects for the rest.
 * @param drainLimitMs how long a client may read nothing
 * @throws the errors of the stream
 */
export async function sendStream(
  response: ServerResponse,
  { sent, stream }: { readonly sent: ResponseOptions; readonly stream: EventStream },
  drainLimitMs = DRAIN_LIMIT_MS,
): Promise<void> {
  if (response.headersSent || response.destroyed) return stream.stop();
  response.once('close', () => stream.stop());
  try {
    begin(response, 200, sent);
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache, no-transform');
    // A proxy such as nginx would hold events back until its buffer is full.
    response.setHeader('X-Accel-Buffering', 'no');
    if (response.req.method === 'HEAD') return;
    for await (const text of stream.texts()) {
      if (response.write(text)) continue;
      if (!(await isDrained(response, stream.stopped, drainLimitMs))) response.destroy();
    }
  } finally {
    stream.stop();
    response.end();
  }
}

/** @returns false if the client read nothing within the limit, or the stream must end */
function isDrained(
  response: ServerResponse,
  stopped: AbortSignal,
  limitMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (drained: boolean): void => {
      clearTimeout(timer);
      response.off('drain', onDrain);
      stopped.removeEventListener('abort', onStop);
      resolve(drained);
    };
    const onDrain = (): void => settle(true);
    const onStop = (): void => settle(false);
    const timer = setTimeout(onStop, limitMs);
    response.once('drain', onDrain);
    stopped.addEventListener('abort', onStop);
    if (stopped.aborted) onStop();
  });
}
