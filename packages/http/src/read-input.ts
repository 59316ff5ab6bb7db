import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';
import type { HeldBytes } from './body/bytes-in-flight.ts';
import type { HostBody } from './host-request.ts';
import { type ParsedInput, readBody, readQuery } from './read-body.ts';
import { readMultipart } from './read-multipart.ts';
import type { Method } from './routing/route-table.ts';

/** A request as far as its parameters are concerned. */
export interface IncomingRequest {
  readonly request: IncomingMessage;
  /** What follows the `?` of the target. */
  readonly query: string;
  /** Where the body is, when the host's parser failed on it. */
  readonly hostBody?: HostBody | PaymountError;
  /** The largest body, in bytes, of a sender who may be anybody. @defaultValue 524,288 */
  readonly maxBytes?: number | undefined;
  /** The whole body must arrive within it. @defaultValue 10,000 */
  readonly timeoutMs?: number | undefined;
  /** Counts what the request has in memory, once its sender is known. */
  readonly held?: HeldBytes | undefined;
  /** Ends the reading of the body when it aborts, with its reason. */
  readonly signal?: AbortSignal;
}

/** The parameters of a request without a body. @throws PaymountError `parameter_*` */
export function readWithoutBody({ query }: IncomingRequest, method: Method): ParsedInput {
  const input = readQuery(query);
  if (method === 'POST') assertNoQuery(input);
  return input;
}

/**
 * The parameters of a request with a body.
 * @param takesFile whether it is `multipart/form-data` with a file
 * @throws PaymountError as `readBody`, or as `readMultipart`
 */
export async function readWithBody(
  { request, query, hostBody, maxBytes, timeoutMs, held, signal }: IncomingRequest,
  method: Method,
  takesFile = false,
): Promise<ParsedInput> {
  if (method === 'GET') {
    throw new PaymountError(
      'parameter_invalid',
      'A GET takes its parameters in the query, not in a body.',
    );
  }
  if (PaymountError.is(hostBody)) throw hostBody;
  const limits = {
    ...(maxBytes !== undefined && { maxBytes }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(held && { held }),
    ...(signal && { signal }),
  };
  const input = await (takesFile
    ? readMultipart(request, hostBody, limits)
    : readBody(request, hostBody, limits));
  const queried = readQuery(query);
  if (method === 'DELETE' && Object.keys(input.tree).length === 0) return queried;
  assertNoQuery(queried);
  return input;
}

function assertNoQuery({ tree }: ParsedInput): void {
  const [param] = Object.keys(tree);
  if (param === undefined) return;
  throw new PaymountError(
    'parameter_unknown',
    `The query holds ${param}; this request takes its parameters in the body.`,
    { param },
  );
}
