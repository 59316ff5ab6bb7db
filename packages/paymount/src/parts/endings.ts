import { type EndEndpointsPorts, type EndedSubject, endEndpoints } from '@paymount/core/events';
import { isError, parseId, withTimeout } from '@paymount/core/kernel';

/** An answer does not wait longer until the endpoints of ended access are disabled. */
const LIMIT_MS = 1_000;

/**
 * Disables the endpoints of access that this process has just ended. What it does not come to in time,
 * a worker does.
 */
export class Endings {
  readonly #ports: Omit<EndEndpointsPorts, 'isClosing'>;
  #isClosed = false;

  constructor(ports: Omit<EndEndpointsPorts, 'isClosing'>) {
    this.#ports = ports;
  }

  /** Never rejects; the work stops when its time is over, or at `close`. */
  async end(subjects: readonly string[]): Promise<void> {
    let isLate = false;
    const isClosing = (): boolean => isLate || this.#isClosed;
    try {
      const ended = subjects.flatMap((text) => toSubject(text) ?? []);
      const ending = endEndpoints({ ...this.#ports, isClosing }, ended);
      await withTimeout(ending, LIMIT_MS, () => {
        isLate = true;
      });
    } catch (error) {
      const facts = { err: isError(error) ? error : undefined };
      const what = 'Endpoints of ended access are not disabled yet; a worker tries again.';
      this.#ports.logger.warn(facts, what);
    }
  }

  /** Begins nothing new. */
  close(): void {
    this.#isClosed = true;
  }
}

function toSubject(text: string): EndedSubject | undefined {
  return parseId('grt', text) ?? parseId('ca', text) ?? parseId('key', text);
}
