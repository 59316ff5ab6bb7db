import type { AccessChangeNotifier } from '@paymount/core/access';
import type { RedisConnections } from './redis.ts';

/** Says to other processes that access changed, and hears them say it. */
export interface RedisAccessChangeNotifier extends AccessChangeNotifier {
  /** Never waits, and never fails: whoever misses it asks the database all the same. */
  announce(): void;
}

/**
 * Announces changes of access through Redis. The message holds nothing: it is only a reason to ask.
 * @param schema of the installation; two that share a Redis do not hear each other
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
      // Nothing was heard while it was away.
      client.on('ready', onChange);
      client.subscribe(channel).catch(() => undefined);
      return async () => {
        client.off('message', onChange);
        client.off('ready', onChange);
      };
    },
  };
}
