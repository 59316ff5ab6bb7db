import type { AccessChangeNotifier } from '@paymount/core/access';
import type { RedisConnections } from './redis.ts';

/** Notifies other processes of a change of access, and receives their notifications. */
export interface RedisAccessChangeNotifier extends AccessChangeNotifier {
  /** Never waits, and never fails: a process that misses it queries the database anyway. */
  announce(): void;
}

/**
 * Announces changes of access through Redis. The message has no content: it only causes a query.
 * @param schema of the installation; two installations that share a Redis do not notify each other
 */
export function redisAccessChangeNotifier(
  redis: RedisConnections,
  schema: string,
): RedisAccessChangeNotifier {
  const channel = `${schema}:access`;
  return {
    announce() {
      redis.producer.publish(channel, '').catch(() => undefined);
    },
    listen(onChange) {
      const client = redis.subscriber();
      client.on('message', onChange);
      // Messages were missed while it was disconnected.
      client.on('ready', onChange);
      client.subscribe(channel).catch(() => undefined);
      return async () => {
        client.off('message', onChange);
        client.off('ready', onChange);
      };
    },
  };
}
