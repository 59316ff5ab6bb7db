// paymount/worker: sends webhooks and does scheduled work.
// Run it beside the routers, or in processes of its own; any number may run at once.
// Only this subpath starts the delivery engine. Start at `startWorker`.
import { createDeliveryClient, startWorker as startEngine } from '@paymount/webhooks';
import { assertKnownOptions } from './options/known-options.ts';
import { DatabaseError } from './options/postgres-storage.ts';
import type { WorkerOptions } from './options/router-options.ts';
import { isMissing } from './parts/missing-processor.ts';
import type { Parts } from './parts/parts.ts';
import { requireMailer } from './parts/require-mailer.ts';
import { ScheduledWork } from './parts/scheduled-work.ts';
import { type Paymount, partsOf } from './paymount.ts';

export type { WorkerOptions };

export interface Worker {
  /** Does all due work; for tests, which advance the clock themselves. */
  drain(): Promise<void>;
  /**
   * Stops within 25 s: starts nothing more, lets running attempts end and records them. Call it
   * before `paymount.close()`. Safe to call twice.
   */
  close(): Promise<void>;
}

/**
 * Starts the worker of this process: deliveries, retries, unresolved processor calls, funds that
 * become available, authorizations that expire.
 * @throws Error if the database cannot be reached, and with a live processor without a mailer;
 *   DatabaseError if its role may not add partitions to the log of attempts; TypeError for an
 *   unknown option
 */
export async function startWorker(
  paymount: Paymount,
  options: WorkerOptions = {},
): Promise<Worker> {
  assertKnownOptions('startWorker()', options);
  const parts = partsOf(paymount);
  // Workers send the e-mails of all processes.
  if (!isMissing(parts.processors.live)) requireMailer(parts);
  // There may be partitions for a week; without the right, it would fail after them.
  const lack = await parts.stores.deliveries.whyNoPartitions();
  if (lack !== undefined) throw new DatabaseError(lack);
  await parts.hookAnnouncement.announce();
  const engine = await startEngine({ ...engineOptions(parts), ...options });
  const scheduled = new ScheduledWork(parts);
  const forget = parts.workers.add({
    status: () => ({ ...engine.status(), failingTasks: scheduled.failing }),
  });
  await scheduled.start();
  parts.logger.info({ redis: parts.redis !== undefined }, 'The worker has started.');
  let closing: Promise<void> | undefined;
  return {
    async drain() {
      await scheduled.drain();
      await engine.drain();
    },
    close() {
      closing ??= Promise.all([scheduled.close(), engine.close()]).then(forget);
      return closing;
    },
  };
}

function engineOptions(parts: Parts): Parameters<typeof startEngine>[0] {
  const { options, adapter, stores, dispatch, sealer, clock, logger, telemetry } = parts;
  const { redis, crashPoint } = parts;
  return {
    deliveries: stores.deliveries,
    dispatch,
    ...(stores.deliveryNotifier && { notifier: stores.deliveryNotifier }),
    sealer,
    client: createDeliveryClient({
      nowMs: () => clock.now().getTime(),
      crashPoint,
      ...options.egress,
    }),
    clock,
    logger,
    telemetry,
    crashPoint,
    disabling: {
      onGone: options.disableOnGone ?? false,
      ...(options.mail?.operator !== undefined && { operator: options.mail.operator }),
    },
    ...(redis === undefined
      ? {}
      : {
          redis: {
            queue: redis.producer,
            retryListener: redis.worker(),
            schema: adapter.namespace,
          },
        }),
  };
}
