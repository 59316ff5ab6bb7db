import { BillingScheduler, endSubscriptionsOn } from '@paymount/core/billing';
import { HookLog, sendMails } from '@paymount/core/changes';
import { advanceReplays, endEndpoints, STEP_MS, sweepEndedAccess } from '@paymount/core/events';
import { advanceExpunges } from '@paymount/core/expunging';
import { foldBalances, releaseFunds } from '@paymount/core/ledger';
import { createGrantService, expireGrants } from '@paymount/core/oauth';
import {
  advanceClocks,
  announceDestinations,
  deleteAbandonedUploads,
  deleteOldClocks,
  expireAuthorizations,
  expireDisputes,
  HookWaits,
  KEPT_FOR_PASS_MS,
  LockedAccounts,
  makeDuePayouts,
  matchEarlyLines,
  matchSettlements,
} from '@paymount/core/payments';
import type { Parts } from './parts.ts';
import { reminderTasks } from './reminder-tasks.ts';
import { sendPlannedNotices } from './send-planned-notices.ts';
import type { AfterPause, Task } from './task.ts';
import { upkeepTasks } from './upkeep-tasks.ts';

export type ScheduledParts =
  | 'options'
  | 'stores'
  | 'files'
  | 'processors'
  | 'resolver'
  | 'noticeInbox'
  | 'clockWorks'
  | 'billingWorks'
  | 'runner'
  | 'mailer'
  | 'invoiceLinks'
  | 'reminders'
  | 'dispatch'
  | 'wakeUps'
  | 'crashPoint'
  | 'telemetry'
  | 'clock'
  | 'logger';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/**
 * Deliveries of one endpoint in one short transaction. Meanwhile the endpoint is locked, and changes
 * of it wait.
 */
const STATUS_STEP = 500;
/** Between two steps of the expunge requests, so that they leave the database to others. */
const EXPUNGE_PAUSE: AfterPause = { pauseMs: 50 };
/** While another process makes funds available that belong to a payout. */
const FUNDS_PAUSE: AfterPause = { pauseMs: 100 };

/**
 * Tasks of one stage run in parallel; when everything is drained, the stages run one after the
 * other.
 */
export function buildStages(parts: Pick<Parts, ScheduledParts>): readonly (readonly Task[])[] {
  return [
    sandboxTasks(parts),
    operationTasks(parts),
    noticeTasks(parts),
    clockTasks(parts),
    billingTasks(parts),
    ...otherTasks(parts).map((task) => [task]),
  ];
}

/** One for each processor, so that a slow one does not delay the other. */
function operationTasks({ resolver }: Pick<Parts, ScheduledParts>): readonly Task[] {
  return (['live', 'test'] as const).map((environment) => ({
    name: `unresolved_operations_${environment}`,
    everyMs: SECOND,
    run: async () => (await resolver.sweep(environment)) > 0,
  }));
}

/** Only the built-in processor of test plans notices. */
function sandboxTasks(parts: Pick<Parts, ScheduledParts>): readonly Task[] {
  if (parts.options.processors?.test !== undefined) return [];
  return [{ name: 'sandbox_notices', everyMs: SECOND, run: () => sendPlannedNotices(parts) }];
}

/** What processors reported, and could not be applied at once. */
function noticeTasks({ noticeInbox }: Pick<Parts, ScheduledParts>): readonly Task[] {
  return (['live', 'test'] as const).map((environment) => ({
    name: `received_notices_${environment}`,
    everyMs: SECOND,
    run: async () => (await noticeInbox.sweep(environment)) > 0,
  }));
}

/** Test clocks, and what is on them. */
function clockTasks(parts: Pick<Parts, ScheduledParts>): readonly Task[] {
  const { stores, clockWorks: works, clock, logger, crashPoint } = parts;
  const { testClocks, storage } = stores;
  const hookLog = new HookLog(logger);
  return [
    {
      name: 'advancing_test_clocks',
      everyMs: SECOND,
      run: (isClosing) =>
        advanceClocks({ testClocks, works, logger, hookLog, crashPoint, isClosing }),
    },
    {
      name: 'old_test_clocks',
      everyMs: HOUR,
      run: async (isClosing) => {
        const endOnClock = (of: Parameters<typeof endSubscriptionsOn>[1]) =>
          endSubscriptionsOn({ storage, clock }, of);
        const ports = { storage, testClocks, clock, logger, hookLog, endOnClock, isClosing };
        await deleteOldClocks(ports);
        return false;
      },
    },
  ];
}

/** Subscriptions and invoices that are due, and on no test clock. */
function billingTasks(parts: Pick<Parts, ScheduledParts>): readonly Task[] {
  const { billingWorks: works, reminders } = parts;
  const subscriptions = new BillingScheduler(works.subscriptions, parts);
  const invoices = new BillingScheduler(works.invoices, parts);
  return [
    {
      name: 'due_subscriptions',
      everyMs: SECOND,
      run: async (isClosing) => afterPause(await subscriptions.pass(isClosing)),
    },
    {
      name: 'missed_results_of_invoices',
      everyMs: 10 * MINUTE,
      run: async (isClosing) => {
        await works.concludeMissed(isClosing);
        return false;
      },
    },
    {
      name: 'due_invoices',
      everyMs: SECOND,
      run: async (isClosing) => afterPause(await invoices.pass(isClosing)),
    },
    ...reminderTasks(reminders),
  ];
}

function afterPause(pauseMs: number | undefined): AfterPause | false {
  return pauseMs !== undefined && { pauseMs };
}

function otherTasks(parts: Pick<Parts, ScheduledParts>): readonly Task[] {
  const { stores, clock, logger } = parts;
  const ports = { storage: stores.storage, clock, logger };
  const hookLog = new HookLog(logger);
  const locked = new LockedAccounts({ clock, logger, keptMs: KEPT_FOR_PASS_MS });
  const { hook, mail } = parts.options;
  const hookWaits = new HookWaits({
    mails: stores.mails,
    clock,
    logger,
    operations: stores.directory.operations,
    notices: stores.directory.notices,
    testClocks: stores.directory.testClocks,
    hasHook: hook !== undefined,
    operator: mail?.operator,
  });
  return [
    ...balanceTasks(parts),
    {
      name: 'expired_authorizations',
      everyMs: MINUTE,
      run: async (isClosing) => {
        await expireAuthorizations({ ...ports, hookLog, locked, isClosing });
        return false;
      },
    },
    {
      name: 'due_disputes',
      everyMs: MINUTE,
      run: async (isClosing) => {
        const { processors } = parts;
        await expireDisputes({ ...ports, processors, hookLog, locked, isClosing });
        return false;
      },
    },
    {
      name: 'abandoned_uploads',
      everyMs: HOUR,
      run: async (isClosing) => {
        await deleteAbandonedUploads({ ...ports, files: parts.files, isClosing });
        return false;
      },
    },
    {
      name: 'results_waiting_for_the_hook',
      everyMs: MINUTE,
      run: async () => {
        await hookWaits.check();
        return false;
      },
    },
    {
      name: 'replays',
      everyMs: SECOND,
      run: async (isClosing) =>
        (await advanceReplays({ ...parts, replays: stores.replays, isClosing })) && STEP_MS,
    },
    {
      name: 'expunge_requests',
      everyMs: SECOND,
      run: async (isClosing) =>
        (await advanceExpunges({ ...parts, expunges: stores.expunges, isClosing })) &&
        EXPUNGE_PAUSE,
    },
    {
      name: 'expired_grants',
      everyMs: HOUR,
      run: async (isClosing) => {
        // The task of ended access disables their endpoints.
        const grants = createGrantService({ access: stores.access, clock });
        await expireGrants({ oauthTokens: stores.oauthTokens, grants, clock, isClosing });
        return false;
      },
    },
    ...endpointTasks(parts),
    ...mailTasks(parts),
    ...upkeepTasks(parts),
  ];
}

function balanceTasks(parts: Pick<Parts, ScheduledParts>): readonly Task[] {
  const { stores, clock, logger } = parts;
  const ports = { storage: stores.storage, clock, logger };
  const locked = new LockedAccounts({ clock, logger, keptMs: KEPT_FOR_PASS_MS });
  return [
    {
      name: 'available_funds',
      everyMs: 10 * SECOND,
      run: () => releaseFunds(ports),
    },
    {
      name: 'automatic_payouts',
      everyMs: MINUTE,
      run: async (isClosing) => {
        if (await releaseFunds(ports)) return true;
        const progress = await makeDuePayouts({ ...parts, storage: stores.storage, isClosing });
        return progress === 'waits' ? FUNDS_PAUSE : progress === 'more';
      },
    },
    {
      name: 'unannounced_destinations',
      everyMs: 10 * SECOND,
      run: async (isClosing) => {
        const { unannounced } = stores;
        await announceDestinations({ unannounced, clock, logger, isClosing });
        return false;
      },
    },
    {
      name: 'early_settlement_lines',
      everyMs: MINUTE,
      run: async (isClosing) => {
        await matchEarlyLines({ ...ports, locked, isClosing });
        return false;
      },
    },
    {
      name: 'settlements',
      everyMs: 24 * HOUR,
      run: async (isClosing) => {
        await matchSettlements({ ...ports, isClosing });
        return false;
      },
    },
    {
      name: 'folded_balances',
      everyMs: 10 * SECOND,
      run: async (isClosing) => {
        await foldBalances(stores.storage, isClosing);
        return false;
      },
    },
  ];
}

function endpointTasks({
  stores: { deliveries, endedAccess },
  options,
  crashPoint,
  clock,
  logger,
}: Pick<Parts, ScheduledParts>): readonly Task[] {
  const operator = options.mail?.operator;
  return [
    {
      name: 'swept_access',
      everyMs: HOUR,
      run: async (isClosing) => {
        await sweepEndedAccess({ endedAccess, clock, isClosing });
        return false;
      },
    },
    {
      name: 'ended_access',
      everyMs: SECOND,
      run: (isClosing) =>
        endEndpoints({ endedAccess, clock, logger, isClosing, ...(operator && { operator }) }),
    },
    {
      name: 'rechecked_endpoints',
      everyMs: MINUTE,
      run: async () => {
        await deliveries.recheckStatuses();
        return false;
      },
    },
    {
      name: 'changed_endpoints',
      everyMs: SECOND,
      run: () => deliveries.applyStatuses(STATUS_STEP, crashPoint),
    },
  ];
}

function mailTasks({
  stores,
  mailer,
  crashPoint,
  clock,
  logger,
  options,
  invoiceLinks,
}: Pick<Parts, ScheduledParts>): readonly Task[] {
  if (mailer === undefined) return [];
  const { mails } = stores;
  const dashboardUrl = options.mail?.dashboardUrl?.replace(/\/$/, '');
  const ports = { mails, mailer, crashPoint, clock, logger, dashboardUrl };
  const { pageOf: pageOfInvoice } = invoiceLinks;
  const run: Task['run'] = (isClosing) => sendMails({ ...ports, pageOfInvoice, isClosing });
  return [{ name: 'mails', everyMs: 5 * SECOND, run }];
}
