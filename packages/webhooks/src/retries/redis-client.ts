/** The part of an ioredis client that the engine uses; the host's adapter creates and closes it. */
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

/** The name of the only queue. It contains no colon, which BullMQ reserves. */
export const QUEUE_NAME = 'paymount-deliveries';

/** Braces are a cluster's hash tag: all keys of one installation stay on one node. */
export function queuePrefix(schema: string): string {
  return `{paymount:${schema}}`;
}
