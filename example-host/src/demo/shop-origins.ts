import { type Origin, openOrigin } from './origin.ts';
import type { UndoStack } from './undo-stack.ts';

/** The servers of the parts of the demo. */
export interface ShopOrigins {
  readonly shop: Origin;
  readonly test: Origin;
  readonly live: Origin;
  readonly management: Origin;
  readonly platform: Origin;
}

const FIRST_PORT = 4100;
const LAST_PORT = 65_535;

/** Opens one server after the other, from `PORT` on. @throws Error if `PORT` is not a port */
export async function openShopOrigins(undo: UndoStack): Promise<ShopOrigins> {
  const first = firstPort();
  // With port 0, every server uses any free port.
  const after = ({ port }: Origin): number => (first === 0 ? 0 : port + 1);
  const shop = await openOrigin(first, undo);
  const test = await openOrigin(after(shop), undo);
  const live = await openOrigin(after(test), undo);
  const management = await openOrigin(after(live), undo);
  return { shop, test, live, management, platform: await openOrigin(after(management), undo) };
}

/** A server, and the ports that were skipped. */
export function describeOrigin({ url, taken }: Origin): string {
  if (taken.length === 0) return url;
  return `${url} (${taken.join(', ')} ${taken.length === 1 ? 'is' : 'are'} taken)`;
}

function firstPort(): number {
  const given = process.env['PORT'];
  if (given === undefined || given === '') return FIRST_PORT;
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= LAST_PORT) return port;
  throw new Error(`PORT is ${JSON.stringify(given)}; it must be a number from 0 to ${LAST_PORT}.`);
}
