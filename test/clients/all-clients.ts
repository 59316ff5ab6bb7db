import type { Client, Tool } from './client.ts';

const NPM: Tool = { name: 'npm', probe: 'npm --version' };

/** What each program built with a Stripe SDK does, in this order. */
const SDK_CHECKS = [
  ...['create', 'times', 'capture', 'list', 'refund'],
  ...['endpoint', 'delivery', 'declined card', 'revoked key'],
];

/** Every client of `npm run test:clients`, in the order in which they run. */
export const CLIENTS: readonly Client[] = [npmStripe('8'), npmStripe('23')];

function npmStripe(major: string): Client {
  return {
    name: `stripe-node ${major}`,
    tools: [NPM],
    folders: ['node', `node/v${major}`],
    commands: ['npm ci --no-audit --no-fund', 'node program.mjs'],
    checks: SDK_CHECKS,
  };
}
