import { isError } from '@paymount/core/kernel';

const MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);
const CURE =
  'The option `redis` needs two packages that Paymount does not bring along. ' +
  'Run: npm install bullmq ioredis';

/**
 * Loads a package that only hosts with Redis install.
 * @throws Error if it is not installed; the message says what to do
 */
export async function installed<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const isMissing = isError(cause) && 'code' in cause && MISSING.has(String(cause.code));
    throw isMissing ? new Error(CURE, { cause }) : cause;
  }
}
