import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Context } from 'mocha';
import { type Browser, chromium } from 'playwright-core';
import { skipWithout } from './skip.ts';

/** The program. */
export const PROGRAM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const NICED = fileURLToPath(new URL('niced-chromium.sh', import.meta.url));

/** Starts the machine's Chromium; without one, all tests after the hook are skipped. */
export async function startChromium(test: Context): Promise<Browser> {
  try {
    accessSync(PROGRAM, constants.X_OK);
  } catch {
    skipWithout(`${PROGRAM} (Debian: chromium)`, test);
  }
  // Its own sandbox does not work for root, and every page here is ours.
  return chromium.launch({ executablePath: NICED, args: ['--no-sandbox'] });
}
