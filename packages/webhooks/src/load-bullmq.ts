import { installed } from './installed.ts';

/**
 * Loads BullMQ, which hosts with Redis install: nothing else of this package imports it.
 * @throws Error with the cure when it is not installed
 */
export function loadBullmq(): Promise<typeof import('bullmq')> {
  return installed(() => import('bullmq'));
}
