import { connect } from 'node:net';

const LOCAL = 'redis://127.0.0.1:6379';
const ANSWER_LIMIT_MS = 500;

/** The Redis of `REDIS_URL`, or one on the default port of this machine. */
export async function findRedis(): Promise<{ readonly url?: string; readonly described: string }> {
  const given = process.env['REDIS_URL'];
  if (given) return { url: given, described: 'the one of REDIS_URL, for the retries' };
  if (await answersPing()) return { url: LOCAL, described: `found at ${LOCAL}, for the retries` };
  return {
    described:
      'none, because REDIS_URL is not set and none runs here; PostgreSQL alone does the work',
  };
}

/** Do not use a Redis that requires a password. */
function answersPing(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: 6379 });
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_LIMIT_MS, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('data', (bytes) => settle(bytes.toString().startsWith('+PONG')));
    socket.end('PING\r\n');
  });
}
