import { createPaymount } from 'paymount';

/** A host without sealing keys, as an unprivileged user, says how its start ended. */
const logger = { debug() {}, info() {}, warn() {}, error() {} };
if (process.getuid?.() === 0) {
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
try {
  const paymount = await createPaymount({ database: String(process.argv[2]), logger });
  await paymount.close();
  process.stdout.write('started');
} catch (error) {
  process.stdout.write(String(error));
}
