import type { AccountReader } from '@paymount/core/access';
import {
  AUDIT_ACTIONS,
  type AuditFilter,
  type AuditHead,
  type AuditJson,
  type AuditRecord,
  AuditResource,
  type AuditVerdict,
  toAuditResource,
} from '@paymount/core/changes';
import {
  type AccountId,
  type AdminScope,
  findOrThrow,
  isAccountInAdminScope,
  PaymountError,
} from '@paymount/core/kernel';
import {
  CreatedInput,
  idIn,
  listSchema,
  Nothing,
  toListResource,
  toPageRequest,
} from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, type ManagementRoute, routesUnder, targetAccount } from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { AdminDirectories, ManagementServices } from '../services.ts';
import { AuditVerdictResource, VerifyInput } from './audit-verdict-resource.ts';

const PATH = '/audit';

const AuditListQuery = AdminListQuery.extend({
  action: z.enum(AUDIT_ACTIONS).optional(),
  target: z.string().max(255).optional().meta({ description: 'Id of the changed object.' }),
  actor: z.string().max(255).optional().meta({ description: 'Id of the actor.' }),
  created: CreatedInput,
});
const AuditExportQuery = AuditListQuery.omit({
  limit: true,
  starting_after: true,
  ending_before: true,
});

const VERIFY_RETRY_SECONDS = 5;

/** The audit log: list, retrieve, export, verify. */
export function auditRoutes({ directory }: ManagementServices): readonly ManagementRoute[] {
  const { audit, accounts } = directory;
  const route = routesUnder(PATH);
  const reads = { permission: 'audit.read', response: AuditResource } as const;
  let isVerifying = false;

  route.get(
    '',
    {
      ...reads,
      operationId: 'listAuditEntries',
      summary: 'List audit entries, newest first',
      query: AuditListQuery,
      response: listSchema('AuditEntryList', AuditResource),
    },
    async ({ call, query }) => {
      const filter = await toAuditFilter(call, query, accounts);
      const page = await audit.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, (record) => toShown(call, record));
    },
  );
  route.lines(
    '/export',
    {
      ...reads,
      operationId: 'exportAuditEntries',
      summary: 'Export audit entries, account by account, oldest first',
      query: AuditExportQuery,
    },
    ({ call, query }) => exported(directory, call, query),
  );
  route.post(
    '/verify',
    {
      ...reads,
      unsearched: ['heads.hash'],
      operationId: 'verifyAuditChains',
      summary: 'Recompute the hashes of the chains; one such call at a time',
      body: VerifyInput,
      response: AuditVerdictResource,
    },
    async ({ call, body }) => {
      const account = await resolveChain(call, body.account, (id) => accounts.find(id));
      const heads = (body.heads ?? []).map(toHead);
      if (isVerifying) throw busy();
      isVerifying = true;
      try {
        return toVerdict(await audit.verify(account, heads));
      } finally {
        isVerifying = false;
      }
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveAuditEntry',
      summary: 'Retrieve an audit entry',
      query: Nothing,
    },
    async ({ call, path }) => {
      const record = await findOrThrow(
        { noun: 'audit entry', prefix: 'aud' },
        path.id,
        async (id) => {
          const found = await audit.find(id);
          return found && isVisible(call.adminScope, found) ? found : undefined;
        },
      );
      return toShown(call, record);
    },
  );
  return route.routes;
}

/** Users of a merchant see what admins did, and not from where. */
function toShown({ admin }: AdminCall, record: AuditRecord): AuditJson {
  const shown = toAuditResource(record);
  const isOwn = admin.kind !== 'user' || OF_MERCHANTS.has(record.actor.type);
  return isOwn ? shown : { ...shown, ip: null, user_agent: null };
}

const OF_MERCHANTS: ReadonlySet<AuditRecord['actor']['type']> = new Set([
  'key',
  'platform',
  'user',
]);

type AuditQuery = Omit<z.output<typeof AuditListQuery>, keyof z.output<typeof AdminListQuery>> &
  Parameters<typeof toFilter>[1];

async function toAuditFilter(
  call: AdminCall,
  { action, target, actor, created, ...query }: AuditQuery,
  accounts: AccountReader,
): Promise<AuditFilter> {
  return {
    ...(await toFilter(call, query, accounts)),
    ...(action && { action }),
    ...(target === undefined ? {} : { target }),
    ...(actor === undefined ? {} : { actor }),
    ...(created && { created }),
  };
}

async function* exported(
  { audit, accounts }: AdminDirectories,
  call: AdminCall,
  query: AuditQuery,
): AsyncGenerator<object> {
  const filter = await toAuditFilter(call, query, accounts);
  for await (const record of audit.export(call.adminScope, filter)) yield toAuditResource(record);
}

/**
 * Entries without an account are shown to admins who see all accounts, those without an environment
 * to all admins.
 */
function isVisible(adminScope: AdminScope, { accountId, environment }: AuditRecord): boolean {
  const seesAccount =
    accountId === undefined
      ? adminScope.accounts === 'all'
      : isAccountInAdminScope(adminScope, accountId);
  return (
    seesAccount && (environment === undefined || adminScope.environments.includes(environment))
  );
}

/** The account whose chain is verified; undefined for all, if the admin sees all. */
async function resolveChain(
  call: AdminCall,
  account: string | undefined,
  find: (id: AccountId) => Promise<{ readonly id: AccountId } | undefined>,
): Promise<AccountId | undefined> {
  if (account !== undefined) return (await targetAccount(call, account, find, 'account')).id;
  if (call.admin.accounts === 'all') return undefined;
  const message = 'account is required, because you do not see all accounts.';
  throw new PaymountError('parameter_missing', message, { param: 'account' });
}

/** It reads the whole log, so each process runs one at a time. */
function busy(): PaymountError {
  const message = 'Another verification is running; wait for it, then try again.';
  return new PaymountError('rate_limit', message, { retryAfterSeconds: VERIFY_RETRY_SECONDS });
}

function toHead(sent: {
  readonly account?: string | null | undefined;
  readonly seq: number;
  readonly hash: string;
}): AuditHead {
  const { account, seq, hash } = sent;
  const chain =
    account === undefined || account === null ? {} : { accountId: idIn('acct', account, 'heads') };
  return { ...chain, seq: BigInt(seq), hash };
}

function toVerdict({
  entries,
  heads,
  faults,
}: AuditVerdict): z.output<typeof AuditVerdictResource> {
  return {
    object: 'audit_verdict',
    entries,
    heads: heads.map(({ accountId = null, seq, hash }) => ({
      account: accountId,
      seq: Number(seq),
      hash,
    })),
    faults: faults.map(({ accountId = null, seq, ...fault }) => ({
      account: accountId,
      seq: Number(seq),
      found: fault.found,
      ...(fault.found === 'contradicted' ? { kept: [...fault.kept] } : {}),
    })),
  };
}
