import { randomBytes } from 'node:crypto';
import { createPaymount } from 'paymount';

/** A host starts without Redis, then with it, and says how that ended. */
const database = String(process.argv[2]);
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const sealingKeys = [{ kid: 'test', key: randomBytes(32).toString('base64') }];
for (const redis of [{}, { redis: 'redis://127.0.0.1:1' }]) {
  try {
    const paymount = await createPaymount({ database, logger, sealingKeys, ...redis });
    await paymount.close();
    process.stdout.write('started\n');
  } catch (error) {
    process.stdout.write(`${String(error)}\n`);
  }
}
