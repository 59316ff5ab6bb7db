import { type AuthenticateOptions, authorizeRoute } from '@paymount/auth';
import { AccessChangedError, toStoredResponse } from '@paymount/core/changes';
import {
  type Call,
  credentialIdOf,
  type Environment,
  isError,
  type Logger,
  PaymountError,
  type Principal,
  type RequestId,
} from '@paymount/core/kernel';
import { assertNoForbiddenTexts } from './forbidden-texts.ts';
import { type Idempotent, type KeyedRequest, readIdempotencyKey } from './idempotent.ts';
import { readOrigin } from './origin.ts';
import { hasBody, type ParsedInput } from './read-body.ts';
import { type IncomingRequest, readWithBody, readWithoutBody } from './read-input.ts';
import { renderJson } from './render-json.ts';
import type { RouteResponse } from './render-response.ts';
import { type Expansion, readExpansion } from './routing/expand.ts';
import { expandChanged, expandResource } from './routing/expand-resource.ts';
import { filledPath } from './routing/path-values.ts';
import type { Route } from './routing/route.ts';
import type { Match } from './routing/route-index.ts';
import { type EventStream, Following } from './streams/event-stream.ts';
import type { EventStreams } from './streams/event-streams.ts';
import type { WriteForm } from './stripe-form.ts';

/**
 * Publishable keys are public: requests by anybody must not use up the idempotency keys of a
 * server.
 */
const PUBLIC_PREFIX = 'publishable\n';

/** What separates the key of a token from its grant; no key contains a line break. */
const OF_GRANT = '\n\n';

/** A hash of a file, whose digits may look like a card number. */
const DIGESTS = ['file.digest'] as const;

/** The number of times that the credential may change before the request is refused. */
const MAX_TRIES = 3;

/** One request that step 1 accepted. */
export interface RequestContext extends IncomingRequest {
  readonly requestId: RequestId;
  readonly environment: Environment;
  readonly match: Match<Route>;
  /** The client's address; undefined if unknown. Available after the guard was called. */
  readonly address: string | undefined;
  /** Writes the answer in the form that the request asks for. */
  readonly form: WriteForm;
  /** Authenticates by the guard: synchronous if the key is cached, and never an old decision. */
  authenticate(options?: AuthenticateOptions): Principal | Promise<Principal>;
}

/** A request with validated parameters, ready to run. */
interface Ready {
  readonly call: Call;
  /** As parsed, `expand` included. */
  readonly parameters: unknown;
  /** Makes the answer from the service's result, or from an answer that was already stored. */
  readonly finish: ((resource: object) => Promise<object>) | undefined;
  readonly run: (call: Call) => Promise<object>;
}

interface ServePorts {
  readonly logger: Pick<Logger, 'error'>;
  readonly idempotent: Idempotent;
  readonly streams: EventStreams;
}

/**
 * Steps 2 to 8 of a request: credential, body, scope and parameters, idempotency, service, answer;
 * or a stream, during which the credential is checked again and again.
 * @throws PaymountError for every refusal; any other error is a bug
 */
export async function serve(
  context: RequestContext,
  ports: ServePorts,
): Promise<RouteResponse | EventStream> {
  const { method } = context.match.route;
  const admitted = admit(context);
  let principal = admitted instanceof Promise ? await admitted : admitted;
  let input: ParsedInput;
  if (hasBody(context.request)) {
    input = await readWithBody(context, method, context.match.route.facts.takesFile);
    // A key may have been revoked while the body arrived slowly; decide again now.
    const again = admit(context);
    principal = again instanceof Promise ? await again : again;
  } else {
    input = readWithoutBody(context, method);
  }
  assertNoForbiddenTexts(input.tree, {
    cards: context.environment === 'live',
    exempt: DIGESTS,
  });
  for (let tries = 1; ; tries += 1) {
    try {
      const { requestId } = context;
      const ready = prepare(context, input, {
        principal,
        requestId,
        origin: readOrigin(context.request, context.address),
      });
      if (method === 'GET') {
        const shown = await show(ready);
        if (!(shown instanceof Following)) return await renderShown(context, shown);
        const admitAgain = (): Principal | Promise<Principal> => admit(context);
        return await ports.streams.open(context, shown, { principal, admit: admitAgain });
      }
      return await execute(context, ready, ports);
    } catch (error) {
      if (!AccessChangedError.is(error)) throw error;
      // Nothing was written. The guard decides whether the credential may still do this.
      if (tries === MAX_TRIES) throw new PaymountError('lock_timeout', undefined, { cause: error });
      principal = await admit(context, { fresh: true });
    }
  }
}

function admit(
  context: RequestContext,
  options?: AuthenticateOptions,
): Principal | Promise<Principal> {
  const admitted = context.authenticate(options);
  if (!(admitted instanceof Promise)) return authorize(context, admitted);
  return admitted.then((principal) => authorize(context, principal));
}

function authorize({ request, match }: RequestContext, principal: Principal): Principal {
  const account = request.headers['stripe-account'];
  if (account !== undefined && account !== principal.accountId) {
    throw new PaymountError(
      'permission_denied',
      'The Stripe-Account header names another account than the account of the key.',
    );
  }
  authorizeRoute(principal, match.route.facts);
  return principal;
}

function prepare(
  { match }: RequestContext,
  { tree: whole, format }: ParsedInput,
  call: Call,
): Ready {
  const { facts } = match.route;
  const { expansion, expand, tree } = readExpansion(whole, facts.expand, call.principal);
  const { parameters, run } = match.route.prepare(match.path, { tree, format });
  return {
    call,
    parameters: expansion === undefined ? parameters : { parameters, expand },
    finish: finishFor(match.route, call, expansion),
    run,
  };
}

function finishFor(
  { method, facts: { instead } }: Route,
  call: Call,
  expansion: Expansion | undefined,
): Ready['finish'] {
  const expand = method === 'GET' ? expandResource : expandChanged;
  if (instead === undefined) {
    return expansion && ((resource) => expand(call, resource, expansion));
  }
  return async (resource) => {
    const shown = await instead(call, resource);
    return expansion === undefined ? shown : expand(call, shown, expansion);
  };
}

async function execute(
  { request, match, environment }: RequestContext,
  ready: Ready,
  { idempotent, logger }: Pick<ServePorts, 'idempotent' | 'logger'>,
): Promise<RouteResponse> {
  const key = readIdempotencyKey(request.headersDistinct, { cards: environment === 'live' });
  if (key === undefined) return toStoredResponse(await showDone(ready, logger));
  const { call, finish } = ready;
  const { principal, requestId } = call;
  return idempotent.respond({
    owner: principal,
    credential: credentialIdOf(principal),
    requestId,
    ...toStoredKey(principal, key),
    method: match.route.method,
    path: filledPath(match.route.pattern, (name) => match.path[name]),
    parameters: ready.parameters,
    execute: (claim) => ready.run({ ...call, claim }),
    ...(finish && { finish }),
  });
}

/**
 * The key with what separates its owner from others of the account: tokens of one grant share their
 * keys, and have none in common with other grants and with the merchant.
 */
function toStoredKey(principal: Principal, key: string): Pick<KeyedRequest, 'key' | 'earlierKey'> {
  if (principal.kind === 'token') {
    return { key: key + OF_GRANT + principal.grantId, earlierKey: key };
  }
  const isPublic = principal.kind === 'key' && principal.keyType === 'publishable';
  return { key: isPublic ? PUBLIC_PREFIX + key : key };
}

async function show({ call, run, finish }: Ready): Promise<object> {
  const resource = await run(call);
  return finish === undefined ? resource : finish(resource);
}

async function renderShown(context: RequestContext, shown: object): Promise<RouteResponse> {
  const take = (bytes: number): void => context.held?.take(bytes);
  return { status: 200, body: await renderJson(shown, { form: context.form, take }) };
}

/**
 * The answer to a change without an `Idempotency-Key`. The change is done: later failures must not
 * cause an error, after which a client might repeat it. An id that could not be expanded stays.
 */
async function showDone(
  { call, run, finish }: Ready,
  logger: ServePorts['logger'],
): Promise<object> {
  const resource = await run(call);
  if (finish === undefined) return resource;
  try {
    return await finish(resource);
  } catch (error) {
    logger.error(
      { request_id: call.requestId, err: isError(error) ? error : undefined },
      'A change is done, but its answer could not be finished; it shows what the change made.',
    );
    return resource;
  }
}
