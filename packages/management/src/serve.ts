import { createHash } from 'node:crypto';
import { type Admin, assertAdmin, assertOwnOrigin } from '@paymount/auth';
import { type IdempotencyRepository, toStoredResponse } from '@paymount/core/changes';
import {
  errorFacts,
  type IdempotencyClaim,
  type Owner,
  PaymountError,
  parseId,
  type RequestId,
} from '@paymount/core/kernel';
import {
  assertNoForbiddenTexts,
  filledPath,
  hasBody,
  type Idempotent,
  type IncomingRequest,
  Lines,
  type Match,
  PlainText,
  type RouteResponse,
  readIdempotencyKey,
  readOrigin,
  readWithBody,
  readWithoutBody,
  renderJson,
} from '@paymount/http';
import { type AdminCall, adminScopeFor, type ManagementRoute } from './admin-call.ts';
import { authorizeStoredResponse } from './authorize-stored-response.ts';

/** One request that step 1 accepted. */
export interface AdminRequestContext extends IncomingRequest {
  readonly requestId: RequestId;
  readonly match: Match<ManagementRoute>;
  /** The client's address, behind the proxies that the host trusts; absent if unknown. */
  readonly ip: string | undefined;
  /** The origins of the pages that may write; absent: the origin that the request was sent to. */
  readonly origins?: readonly string[];
  /** The admin, and when they were authenticated. */
  authenticate(): Promise<{ readonly admin: Admin; readonly now: Date }>;
}

interface ServePorts {
  readonly idempotent: Idempotent;
  readonly idempotency: IdempotencyRepository;
}

/**
 * One request of an admin: login, permission, parameters, idempotency, handler, answer.
 * @throws PaymountError for every refusal; any other error is a bug
 */
export async function serve(
  context: AdminRequestContext,
  ports: ServePorts,
): Promise<RouteResponse | Lines> {
  const { match, request } = context;
  const { method, facts } = match.route;
  const { admin, now } = await context.authenticate();
  assertAdmin(admin);
  if (method !== 'GET') assertOwnOrigin(request, context.origins);
  const call: AdminCall = {
    admin,
    access: facts,
    adminScope: adminScopeFor(admin, facts),
    requestId: context.requestId,
    now,
    audit: toAuditEntry(context, admin),
  };
  const sent = hasBody(request)
    ? await readWithBody(context, method)
    : readWithoutBody(context, method);
  assertNoForbiddenTexts(sent.tree, {
    cards: true,
    ...(facts.unsearched && { exempt: facts.unsearched }),
  });
  const { parameters, run } = match.route.prepare(match.path, sent);
  if (method === 'GET') {
    const resource = await run(call);
    if (resource instanceof Lines) return resource.begun();
    if (resource instanceof PlainText) return resource.toResponse();
    const take = (bytes: number): void => context.held?.take(bytes);
    return { status: 200, body: await renderJson(resource, { take }) };
  }
  const execute = (claimed: AdminCall): Promise<object> =>
    facts.destructive ? spendingToken(claimed, ports, run) : run(claimed);
  const key = readIdempotencyKey(request.headersDistinct, { cards: true });
  if (key === undefined) return toStoredResponse(await execute(call));
  const response = await ports.idempotent.respond({
    owner: keyOwner(admin),
    credential: admin.id,
    requestId: context.requestId,
    key: `${callerName(admin)}\n${key}`,
    method,
    path: filledPath(match.route.pattern, (name) => match.path[name]),
    parameters,
    // A replay does not use up the token: a client whose connection broke sends the same token
    // again.
    execute: (claim) => execute({ ...call, claim }),
  });
  if (response.status === 200) authorizeStoredResponse(call, response.body);
  return response;
}

/**
 * Distinguishes callers in idempotency keys and limits. Neither an id nor a key contains a line
 * break, so that a user of the host is never taken for the admin with the same id.
 */
export function callerName({ kind, id }: Pick<Admin, 'kind' | 'id'>): string {
  return kind === undefined ? id : `${kind}\n${id}`;
}

function toAuditEntry(
  { request, requestId, ip }: AdminRequestContext,
  admin: Admin,
): AdminCall['audit'] {
  return {
    actor: { type: admin.kind ?? 'admin', id: admin.id },
    via: admin.via,
    requestId,
    ...readOrigin(request, ip),
  };
}

/** Admins act on many accounts, so their idempotency keys belong to a reserved account id. */
export const ADMINS = nobody();

function nobody(): Owner {
  const accountId = parseId('acct', `acct_${'0'.repeat(26)}`);
  if (accountId === undefined) throw new Error('Twenty-six zeros are a well-formed id.');
  return { accountId, environment: 'live' };
}

/** A user acts for one account, whose money may move: its resolver finishes keys of its own. */
function keyOwner({ kind, accounts, environments }: Admin): Owner {
  const [accountId] = accounts === 'all' ? [] : accounts;
  const [environment] = environments;
  const isOne = kind === 'user' && accountId !== undefined && environment !== undefined;
  return isOne ? { accountId, environment } : ADMINS;
}

/**
 * A stolen token must not allow a second destructive call: each token can be used for one such
 * call, in any process. It is stored with the idempotency keys, which are kept longer than any
 * token is valid. It is stored before the call, so that of two concurrent calls one runs, and
 * removed if the call was refused: then nothing was changed.
 * @throws PaymountError 401 `admin_unauthenticated` for a token that was used, or has no id; and
 *   the errors of `run`
 */
async function spendingToken(
  call: AdminCall,
  { idempotency }: ServePorts,
  run: (call: AdminCall) => Promise<object>,
): Promise<object> {
  const claim = tokenClaim(call);
  if (claim === undefined) return run(call);
  if (!(await idempotency.record(claim, { status: 200, body: '' }))) {
    throw new PaymountError(
      'admin_unauthenticated',
      'This token was already used for a destructive call; send this request with a new token.',
    );
  }
  try {
    return await run(call);
  } catch (error) {
    // Other errors may come after a change, for example a lost connection.
    if (PaymountError.is(error) && errorFacts(error.code).status < 500) {
      await idempotency.forget(claim);
    }
    throw error;
  }
}

/** The key under which a token is stored; undefined for other kinds of login. */
function tokenClaim({ admin, requestId, now }: AdminCall): IdempotencyClaim | undefined {
  if (admin.tokenId === undefined) {
    if (!admin.via.split('+').includes('jwt')) return undefined;
    throw new PaymountError('admin_unauthenticated', 'This call needs a token with a `jti`.');
  }
  const hash = createHash('sha256').update(admin.tokenId).digest('hex');
  return {
    ...ADMINS,
    credential: admin.id,
    key: `token\n${admin.id}\n${hash}`,
    fingerprint: '',
    requestId,
    lockedUntil: now,
    created: now,
  };
}
