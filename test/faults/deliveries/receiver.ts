import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificate } from '../../support/test-certificate.ts';
import type { SeededRandom } from '../money/seeded-random.ts';
import type { Arrival } from '../webhook-log.ts';

/** How merchants' servers behave: shares of the requests, 0 to 1. */
export interface Habits {
  /** Answered 500. */
  readonly failing: number;
  /** Answered by a TCP reset. */
  readonly resetting: number;
  /** Answered late, whatever the answer is. */
  readonly slow: number;
}

/** Merchants' servers: one over TLS, for any number of endpoints. */
export interface UnreliableReceiver {
  url(name: string): string;
  readonly arrivals: readonly Arrival[];
  close(): Promise<void>;
}

const SLOW_MS = [100, 1_500] as const;
/** No status: the connection was reset. */
const RESET = 0;

/** Starts the server. It keeps one line for each request, and no bodies: there are many. */
export async function openReceiver(
  habits: Habits,
  random: SeededRandom,
): Promise<UnreliableReceiver> {
  const arrivals: Arrival[] = [];
  const server = createServer(testCertificate, (request, response) => {
    request.resume().once('end', () => {
      const answered = chooseAnswer(habits, random);
      const { headers } = request;
      const attempt = `${headers['service-delivery']}-${headers['service-attempt']}`;
      arrivals.push({ eventId: String(headers['webhook-id']), attempt, answered });
      const isSlow = random.chance(habits.slow);
      if (isSlow) setTimeout(answer, random.between(...SLOW_MS), answered, request, response);
      else answer(answered, request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `https://127.0.0.1:${port}/${name}`,
    arrivals,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function chooseAnswer({ failing, resetting }: Habits, random: SeededRandom): number {
  const chosen = random.next();
  if (chosen < failing) return 500;
  return chosen < failing + resetting ? RESET : 200;
}

function answer(status: number, request: IncomingMessage, response: ServerResponse): void {
  if (status === RESET) request.socket.destroy();
  else response.writeHead(status).end();
}
