import { once } from 'node:events';
import { createPaymount } from 'paymount';

/** A host that starts and ends at once: it must not be kept alive by anything it left open. */
const [database = '', redis = '', issuerTag = 'pm'] = process.argv.slice(2);

let sayDown: () => void = () => undefined;
const down = new Promise<void>((resolve) => {
  sayDown = resolve;
});
const logger = {
  debug() {},
  info() {},
  warn() {},
  error(_facts: unknown, line: string) {
    if (line.startsWith('Redis is down')) sayDown();
  },
};

try {
  const paymount = await createPaymount({ database, redis, issuerTag, logger });
  await Promise.race([down, once(process, 'SIGTERM')]);
  await paymount.close();
  process.stdout.write('closed\n');
} catch (error) {
  process.stdout.write(`refused: ${error instanceof Error ? error.message : ''}\n`);
}
