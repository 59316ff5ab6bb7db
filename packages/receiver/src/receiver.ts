import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { type DeliveryRequest, MAX_BODY_BYTES, readRawBody } from './read-raw-body.ts';
import { SIGNATURE_ERROR_MEANINGS, SignatureError } from './signature-error.ts';
import { checkedSecrets, type SecretOptions, verify } from './verify.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** Options of {@link receiver}. */
export type ReceiverOptions = SecretOptions & {
  /**
   * Stores or handles the event. It has 20 seconds; do longer work after the answer. If it throws,
   * the answer is 500, and the event is sent again later.
   */
  readonly onEvent: (event: WebhookEvent) => unknown;
  /**
   * Called with each error: a SignatureError for a refused delivery, or an error of `onEvent`.
   * @defaultValue one line, or the stack, on standard error
   */
  readonly onError?: (error: unknown) => void;
  /** @defaultValue 300 */
  readonly toleranceSeconds?: number;
  /** The receiver's clock. @defaultValue the current time */
  readonly now?: () => Date;
};

/** A handler for Express 4 and 5 and for `http.createServer`. */
export type ReceiverHandler = (request: DeliveryRequest, response: ServerResponse) => Promise<void>;

/**
 * Makes the handler of a webhook URL: it reads the raw body (up to 1 MiB), verifies it, and answers
 * 200 once `onEvent` is done (specification: Events, Delivery and retries). It answers 400 if the
 * delivery is not valid, 413 if the body is larger, 500 if `onEvent` throws; the body is
 * `{"error":{"code","message"}}` and contains no part of the secret.
 * @throws SignatureError `secret_malformed`, immediately instead of at the first delivery
 */
export function receiver(options: ReceiverOptions): ReceiverHandler {
  const { onEvent, onError = report, toleranceSeconds, now = () => new Date() } = options;
  const secrets = checkedSecrets(options);
  const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
  return async (request, response) => {
    const body = await readRawBody(request);
    if (body.state === 'aborted') return;
    if (body.state === 'too_large') {
      refuse(response, 413, 'body_too_large', `The body exceeds ${MAX_BODY_BYTES} bytes.`);
      return;
    }
    let event: WebhookEvent | undefined;
    try {
      const { headers } = request;
      event = verify({ body: body.content, headers, secrets, now: now(), ...tolerance });
      await onEvent(event);
    } catch (error) {
      if (event === undefined && error instanceof SignatureError) {
        refuse(response, 400, error.code, SIGNATURE_ERROR_MEANINGS[error.code]);
      } else {
        refuse(response, 500, 'handler_failed', 'The event could not be handled.');
      }
      onError(error);
      return;
    }
    answer(response, 200, { received: true });
  };
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  answer(response, status, { error: { code, message } });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

/** A refusal is one line; an error of the host's own code keeps its stack. */
function report(error: unknown): void {
  const text = error instanceof SignatureError ? `${error.code}: ${error.message}` : inspect(error);
  process.stderr.write(`Webhook receiver: ${text}\n`);
}
