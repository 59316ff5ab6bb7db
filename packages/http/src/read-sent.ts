import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';
import type { HostBody } from './host-request.ts';
import { readBody, readQuery, type Sent } from './read-body.ts';
import type { Method } from './routing/route-table.ts';

/** A request as far as its parameters are concerned. */
export interface Arrival {
  readonly request: IncomingMessage;
  /** What follows the `?` of the target. */
  readonly query: string;
  /** Where the body is, when the host's parser failed on it. */
  readonly hostBody?: HostBody | PaymountError;
}

/** The parameters of a request without a body. @throws PaymountError `parameter_*` */
export function readWithoutBody({ query }: Arrival, method: Method): Sent {
  const sent = readQuery(query);
  if (method === 'POST') refuseQuery(sent);
  return sent;
}

/** The parameters of a request with a body. @throws PaymountError as `readBody` */
export async function readWithBody(
  { request, query, hostBody }: Arrival,
  method: Method,
): Promise<Sent> {
  if (method === 'GET') {
    throw new PaymountError(
      'parameter_invalid',
      'A GET takes its parameters in the query, not in a body.',
    );
  }
  if (PaymountError.is(hostBody)) throw hostBody;
  const sent = await readBody(request, hostBody);
  const queried = readQuery(query);
  if (method === 'DELETE' && Object.keys(sent.tree).length === 0) return queried;
  refuseQuery(queried);
  return sent;
}

function refuseQuery({ tree }: Sent): void {
  const [param] = Object.keys(tree);
  if (param === undefined) return;
  throw new PaymountError(
    'parameter_unknown',
    `The query holds ${param}; this request takes its parameters in the body.`,
    { param },
  );
}
