import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import { EmailInput } from '../../kernel/input/input.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointFacts } from './endpoint-audit.ts';
import {
  DISABLE_AFTER_MS,
  type FailingEndpoint,
  NOTICE_MS,
  WARN_AFTER_MS,
} from './failing-endpoint.ts';
import { failingMail } from './failing-mail.ts';

const HOUR_MS = 3_600_000;
const WARN_FINALLY_AFTER_MS = 60 * HOUR_MS;
/** A warning that could not be sent for so long counts as sent. */
const UNSENT_LIMIT_MS = 24 * HOUR_MS;

/** What follows from a failed attempt for its endpoint. */
export interface FailingVerdict {
  readonly kind: 'warning' | 'final_warning' | 'disabling';
  /** Committed with the result of the attempt. */
  readonly mails: readonly Mail[];
  /** The same; present if the endpoint is disabled. */
  readonly change?: WebhookChange;
  /** No address for the mail: neither of the account nor of the operator. */
  readonly isUnmailable: boolean;
  /** The endpoint is disabled although its warning could not be sent. */
  readonly isUnwarned: boolean;
}

/**
 * Decides whether the owner of a failing endpoint is warned, or the endpoint disabled: at the first
 * failure after 24 hours without a success, the first after 60 hours (unless the first warning came
 * as late), and the first after 72 hours that is also 12 hours after the first warning was sent, and after
 * which a lone event has no attempt left.
 * @param operator gets the mail if the account has no valid address
 */
export function decideOnFailing(
  failing: FailingEndpoint,
  operator: string | undefined,
): FailingVerdict | undefined {
  const kind = verdictKind(failing);
  if (kind === undefined) return undefined;
  const to = recipient(failing, operator);
  const { endpoint, failingSince, failedAt: at } = failing;
  const { accountId, environment, id } = endpoint;
  const template = kind === 'disabling' ? reason(failing) : kind;
  const mails =
    to === undefined
      ? []
      : [
          {
            id: newId('mail'),
            dedupeKey: mailKey(id, failingSince, template),
            accountId,
            to,
            page: `${accountId}/${environment}/endpoints/${id}`,
            ...failingMail(failing, template),
            created: at,
          },
        ];
  const isUnwarned = kind === 'disabling' && !failing.isGone && failing.warningSentAt === undefined;
  return {
    kind,
    mails,
    ...(kind === 'disabling' && { change: disabling(failing) }),
    isUnmailable: to === undefined,
    isUnwarned,
  };
}

/** The key of a mail about a streak of failures: it is written once. */
function mailKey(
  id: Endpoint['id'],
  failingSince: Date,
  template: 'warning' | 'final_warning' | 'failing' | 'gone',
): string {
  return `${id}:${failingSince.toISOString()}:${template}`;
}

/** The key of the first warning of a streak of failures. */
export function warningKey(id: Endpoint['id'], failingSince: Date): string {
  return mailKey(id, failingSince, 'warning');
}

function verdictKind(failing: FailingEndpoint): FailingVerdict['kind'] | undefined {
  const { failingSince, failedAt, warningQueuedAt, finalWarningQueuedAt } = failing;
  if (failing.isGone) return 'disabling';
  const failingMs = failedAt.getTime() - failingSince.getTime();
  if (failingMs < WARN_AFTER_MS) return undefined;
  if (warningQueuedAt === undefined) return 'warning';
  const isOver = failingMs >= DISABLE_AFTER_MS && failedAt >= noticeEnd(failing, warningQueuedAt);
  if (isOver && failing.mayDisable) return 'disabling';
  // A late first warning is final itself: it gives the earliest time of the disabling.
  const finalMs = failingSince.getTime() + WARN_FINALLY_AFTER_MS;
  const isDue = failedAt.getTime() >= finalMs && warningQueuedAt.getTime() < finalMs;
  return isDue && finalWarningQueuedAt === undefined ? 'final_warning' : undefined;
}

function noticeEnd({ warningSentAt }: FailingEndpoint, warningQueuedAt: Date): Date {
  const countsMs = warningQueuedAt.getTime() + UNSENT_LIMIT_MS;
  const sentMs = warningSentAt?.getTime() ?? countsMs;
  return new Date(Math.min(sentMs, countsMs) + NOTICE_MS);
}

function reason({ isGone }: FailingEndpoint): 'gone' | 'failing' {
  return isGone ? 'gone' : 'failing';
}

function recipient({ account }: FailingEndpoint, operator: string | undefined) {
  const addresses = [account.email ?? [], operator ?? []].flat();
  return addresses.find((address) => EmailInput.safeParse(address).success);
}

const OURSELVES: AuditContext = { actor: { type: 'system', id: 'paymount' }, via: 'worker' };

function disabling(failing: FailingEndpoint): WebhookChange {
  const { endpoint, failingSince, failedAt } = failing;
  const { accountId, environment, id: target } = endpoint;
  const row: Endpoint = {
    ...endpoint,
    version: endpoint.version + 1,
    status: 'disabled',
    disabledReason: reason(failing),
    disabledAt: failedAt,
    failingSince,
  };
  return {
    accountId,
    environment,
    at: failedAt,
    writes: [{ kind: 'endpoint', mode: 'update', row }],
    audit: {
      ...OURSELVES,
      accountId,
      environment,
      action: 'endpoint.disable',
      target,
      before: endpointFacts(endpoint),
      after: { ...endpointFacts(row), disabled_reason: row.disabledReason },
      created: failedAt,
    },
  };
}
