import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { EmailInput } from '../../kernel/input/input.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { EndedEndpoints, EndedSubject } from './ended-access.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointFacts } from './endpoint-audit.ts';
import type { EndedAccessCursor, EndedAccessQueue } from './endpoint-repository.ts';

/** More than ever wait at once, unless rows are locked for long. */
const MAX_SUBJECTS = 1_000;

/** The owners of one page. */
const MAX_OWNERS = 100;

const OURSELVES: AuditContext = { actor: { type: 'system', id: 'paymount' }, via: 'worker' };

export interface EndEndpointsPorts {
  readonly endedAccess: EndedAccessQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Gets the mail if the account has no valid address. */
  readonly operator?: string;
  readonly isClosing: () => boolean;
}

/**
 * Disables the endpoints that end with a credential, with an audit entry for each and an e-mail to the
 * owner of the account. Safe to run anywhere and again: each endpoint is disabled once. An owner that
 * fails is logged, and stops no other.
 * @param subjects the credentials @defaultValue all that are noted
 * @returns whether there may be more
 * @throws the first failure, after everything else was done
 */
export async function endEndpoints(
  ports: EndEndpointsPorts,
  subjects?: readonly EndedSubject[],
): Promise<boolean> {
  const { endedAccess, clock, logger } = ports;
  const at = lastMoment(clock);
  const failures: unknown[] = [];
  let disabled = 0;
  for (const subject of subjects ?? (await endedAccess.list(MAX_SUBJECTS))) {
    if (ports.isClosing()) return false;
    const count = await endEndpointsOf(ports, { subject, at, failures });
    if (count === 0) await endedAccess.forget(subject, at);
    else logger.warn({ subject, endpoints: count }, 'Access ended, so endpoints were disabled.');
    disabled += count;
  }
  if (failures.length > 0) throw failures[0];
  return disabled > 0;
}

async function endEndpointsOf(
  { endedAccess, clock, logger, operator, isClosing }: EndEndpointsPorts,
  {
    subject,
    at,
    failures,
  }: { readonly subject: EndedSubject; readonly at: Date; readonly failures: unknown[] },
): Promise<number> {
  let disabled = 0;
  for (let after: Owner | undefined, isLast = false; !isLast; ) {
    const owners = await endedAccess.owners(subject, at, { after, limit: MAX_OWNERS });
    for (const owner of owners) {
      if (isClosing()) return disabled;
      try {
        disabled += await endedAccess.end({ subject, at, owner }, (ended) =>
          disablings(ended, clock.now(), operator),
        );
      } catch (error) {
        failures.push(error);
        const facts = { subject, account: owner.accountId, environment: owner.environment };
        const err = isError(error) ? error : undefined;
        logger.error({ ...facts, err }, 'Endpoints of ended access could not be disabled.');
      }
    }
    after = owners.at(-1);
    isLast = owners.length < MAX_OWNERS;
  }
  return disabled;
}

/** A process whose clock is behind may still use a token that has just expired. */
const CLOCKS_DIFFER_MS = 60_000;

/** When a token has expired everywhere. */
function lastMoment(clock: Clock): Date {
  return new Date(clock.now().getTime() - CLOCKS_DIFFER_MS);
}

/** Endpoints of one step of the sweep. */
const SWEPT_AT_ONCE = 1_000;

/**
 * Finds endpoints whose access ended without a note of it: before the upgrade to this version, for
 * example. `endEndpoints` disables them.
 */
export async function sweepEndedAccess({
  endedAccess,
  clock,
  isClosing,
}: Pick<EndEndpointsPorts, 'endedAccess' | 'clock' | 'isClosing'>): Promise<void> {
  let after: EndedAccessCursor | undefined = { setter: '', endpoint: '' };
  while (after !== undefined && !isClosing()) {
    after = await endedAccess.sweep(lastMoment(clock), after, SWEPT_AT_ONCE);
  }
}

/**
 * The changes that disable endpoints of one owner; the last one has the mail.
 * @param operator gets it if the account has no valid address
 */
function disablings(
  ended: EndedEndpoints,
  at: Date,
  operator: string | undefined,
): readonly WebhookChange[] {
  const mails = mailsAbout(ended, at, operator);
  return ended.endpoints.map((endpoint, index) => ({
    ...disabling(endpoint, ended.subject, at),
    ...(index === ended.endpoints.length - 1 && { mails }),
  }));
}

function disabling(endpoint: Endpoint, subject: EndedSubject, at: Date): WebhookChange {
  const { accountId, environment, id: target } = endpoint;
  const row: Endpoint = {
    ...endpoint,
    version: endpoint.version + 1,
    status: 'disabled',
    disabledReason: 'access_ended',
    disabledAt: endpoint.disabledAt ?? at,
  };
  const after = { ...endpointFacts(row), disabled_reason: row.disabledReason, ended: subject };
  return {
    accountId,
    environment,
    at,
    writes: [{ kind: 'endpoint', mode: 'update', row }],
    audit: {
      ...OURSELVES,
      accountId,
      environment,
      action: 'endpoint.disable',
      target,
      before: endpointFacts(endpoint),
      after,
      created: at,
    },
  };
}

function mailsAbout(
  { subject, accountId, environment, account, endpoints, name }: EndedEndpoints,
  created: Date,
  operator: string | undefined,
): readonly Mail[] {
  const addresses = [account.email ?? [], operator ?? []].flat();
  const to = addresses.find((address) => EmailInput.safeParse(address).success);
  const [first] = endpoints;
  if (to === undefined || first === undefined) return [];
  const what =
    endpoints.length === 1
      ? `A ${environment} webhook endpoint of ${account.name} was`
      : `${endpoints.length} ${environment} webhook endpoints of ${account.name} were`;
  return [
    {
      id: newId('mail'),
      dedupeKey: `access_ended:${subject}:${first.id}:${first.version}`,
      accountId,
      to,
      created,
      page: `${accountId}/${environment}/endpoints${endpoints.length === 1 ? `/${first.id}` : ''}`,
      ...composeMail({
        subject: `${what} disabled`,
        parts: [
          `${reasonFor(subject, name, account.name)} Its events went to:`,
          endpoints.map(describeEndpoint),
          'Paymount sends nothing there any more. Deliveries that were not finished wait, and later ' +
            'events are recorded, but not sent.',
          'If it is an endpoint of yours, keep it: in the dashboard, or with POST ' +
            '/v1/webhook_endpoints/ID and disabled=false. Otherwise delete it.',
        ],
      }),
    },
  ];
}

function reasonFor(subject: EndedSubject, name: string, account: string): string {
  if (subject.startsWith('key_')) {
    return `The key ${name} leaked and was revoked (${subject}).`;
  }
  return subject.startsWith('grt_')
    ? `An approval of ${name} for ${account} ended (${subject}).`
    : `${name} may no longer act for ${account} (${subject}).`;
}

/** The query of a URL is left out: some receivers put a secret in it. */
function describeEndpoint({ id, url, status }: Endpoint): string {
  const { origin, pathname } = new URL(url);
  const before = status === 'disabled' ? ' (it was disabled before, for another reason)' : '';
  return `${id}: ${origin}${pathname}${before}`;
}
