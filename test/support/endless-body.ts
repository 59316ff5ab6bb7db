import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type Ask, type Reply, readReply } from './ask.ts';

/**
 * Sends the start of a body that never ends, and waits for the answer. It sends no more than the
 * server reads: a client that still writes when the server closes may lose the answer.
 */
export async function askEndlessly(
  url: string,
  start: string | Buffer,
  { method = 'POST', headers, key = '' }: Omit<Ask, 'body'>,
): Promise<Reply> {
  const request = httpRequest(url, {
    method,
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      // Node does not add it to a DELETE.
      'transfer-encoding': 'chunked',
      ...headers,
    },
    agent: false,
  });
  // After the answer the server may close the connection.
  request.on('error', () => undefined);
  request.write(start);
  const [response] = await once(request, 'response');
  const reply = await readReply(response);
  request.destroy();
  return reply;
}
