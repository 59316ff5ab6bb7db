import { createRequire } from 'node:module';
import { answerCommands } from './child.ts';
import { type Load, type LoadResult, UNIQUE } from './http-load.ts';

/** The load generator where there is no `wrk`. It comes without types. */
interface Result {
  readonly duration: number;
  readonly requests: { readonly total: number };
  readonly latency: { readonly p50: number; readonly p99: number };
  readonly non2xx: number;
  readonly errors: number;
}

type Autocannon = (options: object) => PromiseLike<Result>;

const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;
let sent = 0;

async function run({ load, seconds }: { load: Load; seconds: number }): Promise<LoadResult> {
  const result = await autocannon({
    url: `http://127.0.0.1:${load.port}`,
    connections: load.connections,
    duration: seconds,
    requests: load.requests.map((request) => ({ ...request, setupRequest: withUniqueValues })),
  });
  return {
    operations: result.requests.total,
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors,
  };
}

function withUniqueValues<Request extends { headers: Record<string, string> }>(
  request: Request,
): Request {
  sent += 1;
  const value = `${process.pid}${String(sent).padStart(8, '0')}`;
  const headers = Object.entries(request.headers).map(
    ([name, text]) => [name, text.replace(UNIQUE, value)] as const,
  );
  return { ...request, headers: Object.fromEntries(headers) };
}

answerCommands({ run });
