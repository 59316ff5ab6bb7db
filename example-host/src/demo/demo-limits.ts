import type { PaymountOptions } from 'paymount';

const KEY = { requests: 1_000, seconds: 1, burst: 2_000 } as const;
const ACCOUNT = { requests: 2_000, seconds: 1, burst: 4_000 } as const;

/**
 * Higher limits than those of a real shop, because everyone who tries the demo, and every load
 * test, uses one address and one key. Guesses still get 429.
 */
export const DEMO_LIMITS: NonNullable<PaymountOptions['rateLimit']> = {
  key: { test: KEY, live: KEY },
  account: { test: ACCOUNT, live: ACCOUNT },
  publishableKey: { requests: 600, seconds: 60 },
  failedCredentials: { requests: 1_200, seconds: 60 },
  admin: { requests: 200, seconds: 1 },
};
