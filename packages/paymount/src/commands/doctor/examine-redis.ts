import { type Logger, withTimeout } from '@paymount/core/kernel';
import type { Finding } from '@paymount/core/store';
import { connectRedis } from '../../adapters/redis.ts';

const LIMIT_MS = 5_000;
const OLDEST_REDIS = 6;
const SUBJECT = 'redis';
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Looks at the Redis that wakes workers.
 * @param url undefined if the installation uses none
 */
export async function examineRedis(url: string | undefined): Promise<readonly Finding[]> {
  if (url === undefined) {
    return [{ subject: SUBJECT, verdict: 'ok', message: 'None is set; retries use PostgreSQL.' }];
  }
  const { worker, close } = await connectRedis(url, SILENT);
  try {
    const info = worker().info('default');
    return await withTimeout(
      info.then((text) => [version(text), memory(text)]),
      LIMIT_MS,
    );
  } catch {
    const message = `It does not answer within ${LIMIT_MS / 1_000} seconds; retries use PostgreSQL.`;
    return [{ subject: SUBJECT, verdict: 'warning', message }];
  } finally {
    await close();
  }
}

function version(info: string): Finding {
  const found = readField(info, 'redis_version');
  if (Number.parseInt(found, 10) >= OLDEST_REDIS) {
    return { subject: SUBJECT, verdict: 'ok', message: `Redis ${found}.` };
  }
  const message = `Redis ${found} is too old. Upgrade to ${OLDEST_REDIS} or later.`;
  return { subject: SUBJECT, verdict: 'problem', message };
}

function memory(info: string): Finding {
  const policy = readField(info, 'maxmemory_policy');
  const message = `maxmemory-policy is ${policy}.`;
  if (policy === 'noeviction') return { subject: SUBJECT, verdict: 'ok', message };
  return {
    subject: SUBJECT,
    verdict: 'warning',
    message: `${message} Redis may drop retries; set it to noeviction.`,
  };
}

function readField(info: string, name: string): string {
  const line = info.split('\n').find((each) => each.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim() ?? 'unknown';
}
