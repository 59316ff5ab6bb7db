import { belowMount, loginAddress } from '../mount.ts';
import { type Refusal, RefusedError, UnreachableError } from './problems.ts';
import { noteReachable } from './reachability.ts';

/** Values of a query; `{ created: { gte: … } }` becomes `created[gte]=…`. Empty ones are left out. */
export type Query = Readonly<Record<string, QueryValue>>;
type QueryValue =
  | string
  | number
  | boolean
  | undefined
  | Readonly<Record<string, string | undefined>>;

export interface Write {
  readonly method: 'POST' | 'DELETE';
  readonly body?: object;
  /** One for each action of the user; the same when it is tried again. */
  readonly idempotencyKey: string;
  /** Called if the answer is a former one: the action had already been done. */
  readonly onReplay?: () => void;
}

/** Longer than the server takes for any answer, a processor's included. */
const LIMIT_MS = 60_000;

/**
 * Asks the server: the one place from which requests leave.
 * @param path below `api/`
 * @throws RefusedError with what the server said; `UnreachableError` if it did not answer within a
 *   minute
 */
export async function request<Answer>(
  path: string,
  { query, write, signal }: { query?: Query; write?: Write; signal?: AbortSignal } = {},
): Promise<Answer> {
  const response = await send(`${belowMount(`api/${path}`)}${toSearch(query)}`, write, signal);
  const answer = await readJson(response, signal);
  noteReachable(answer !== undefined);
  if (answer === undefined) {
    throw new UnreachableError(`The server answered ${response.status}.`, write !== undefined);
  }
  if (response.ok) {
    if (response.headers.get('Idempotent-Replayed') === 'true') write?.onReplay?.();
    return answer as Answer;
  }
  const refusal = toRefusal(answer, response.status);
  if (refusal.code === 'login_required') return goToLogin();
  throw new RefusedError(response.status, refusal, waitMsOf(response));
}

async function send(
  address: string,
  write: Write | undefined,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch(address, {
      credentials: 'same-origin',
      headers: { Accept: 'application/json', ...(write && headersOf(write)) },
      ...(write && { method: write.method }),
      ...(write?.body && { body: JSON.stringify(write.body) }),
      signal: AbortSignal.any([AbortSignal.timeout(LIMIT_MS), ...(signal ? [signal] : [])]),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    noteReachable(false);
    throw new UnreachableError('The server does not answer.', write !== undefined, {
      cause: error,
    });
  }
}

function headersOf({ body, idempotencyKey }: Write): Readonly<Record<string, string>> {
  return {
    ...(body && { 'Content-Type': 'application/json' }),
    'Idempotency-Key': idempotencyKey,
    'Paymount-Csrf': '1',
  };
}

/** The JSON of an answer; undefined if something else than the server answered, such as a proxy. */
async function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    const answer: unknown = await response.json();
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch (error) {
    // The page that asked was left: that says nothing of the server.
    if (signal?.aborted) throw error;
    return undefined;
  }
}

function toRefusal(answer: unknown, status: number): Refusal {
  const { error } = answer as { readonly error?: Refusal };
  return error ?? { code: 'unknown', message: `The server answered ${status}.` };
}

function waitMsOf(response: Response): number {
  return 1000 * Number(response.headers.get('Retry-After') ?? 0) || 0;
}

/** Leaves for the login, which comes back to this page; nothing on it changes until then. */
function goToLogin(): Promise<never> {
  window.location.assign(loginAddress('login'));
  return new Promise(() => undefined);
}

function toSearch(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') {
      for (const [bound, at] of Object.entries(value)) {
        if (at !== undefined && at !== '') search.set(`${name}[${bound}]`, at);
      }
    } else if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}
