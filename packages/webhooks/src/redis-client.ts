/** What the engine needs of an ioredis client; the host's adapter makes and ends it. */
export interface RedisClient {
  /** `ready` while commands can be sent. */
  readonly status: string;
  on(event: 'ready' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: string, listener: () => void): unknown;
  ping(): Promise<string>;
  info(section: string): Promise<string>;
  connect(): Promise<unknown>;
  duplicate(): unknown;
}

/** The one queue. No colon, which BullMQ keeps for itself. */
export const QUEUE_NAME = 'paymount-deliveries';

/** Braces are a cluster's hash tag: all keys of one installation stay on one node. */
export function queuePrefix(schema: string): string {
  return `{paymount:${schema}}`;
}
