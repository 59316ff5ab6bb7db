import { installed } from './installed.ts';

/**
 * Loads BullMQ, which hosts with Redis install; no other file of this package imports it.
 * @throws Error if it is not installed; the message says what to do
 */
export function loadBullmq(): Promise<typeof import('bullmq')> {
  return installed(() => import('bullmq'));
}
