import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts';
import { testCertificate } from '../support/test-certificate.ts';

/** One request that reached a merchant. */
export interface Arrival {
  readonly eventId: string;
  /** `dlv_...` and the attempt's number: what the sender calls one attempt. */
  readonly attempt: string;
  /** The status; 0 when the connection was reset instead. */
  readonly answered: number;
}

/** A merchant's webhook server over TLS, and its log of what arrived. */
export interface WebhookLog {
  /** Addresses of any number of endpoints, all on this server. */
  url(name: string): string;
  /** What it answers from now on: always, or to some of the requests. */
  answer(status: number | ((arrivals: number) => number), afterMs?: number): void;
  readonly arrivals: readonly Arrival[];
  /** Fulfilled once so many requests have arrived. */
  waitFor(count: number, deadlineMs?: number): Promise<unknown>;
  close(): Promise<void>;
}

/** The authority that host processes must trust to deliver here. */
export const RECEIVER_CA = testCertificate.ca;

/**
 * Starts a receiver that answers 200.
 * @param onArrival looks at each request
 */
export async function openWebhookLog(
  onArrival: (request: ReceivedRequest) => void = () => undefined,
): Promise<WebhookLog> {
  const receiver: Receiver = await startReceiver({ tls: true });
  const arrivals: Arrival[] = [];
  let status: number | ((arrivals: number) => number) = 200;
  let pauseMs = 0;
  receiver.otherwise((request) => {
    onArrival(request);
    const answered = typeof status === 'number' ? status : status(arrivals.length);
    arrivals.push({
      eventId: String(request.headers['webhook-id']),
      attempt: `${request.headers['service-delivery']}-${request.headers['service-attempt']}`,
      answered,
    });
    return { status: answered, ...(pauseMs > 0 && { afterMs: pauseMs }) };
  });
  return {
    url: (name) => `https://127.0.0.1:${receiver.port}/${name}`,
    answer(next, afterMs = 0) {
      status = next;
      pauseMs = afterMs;
    },
    arrivals,
    waitFor: (count, deadlineMs) => receiver.waitFor(count, deadlineMs),
    close: () => receiver.close(),
  };
}
