import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { BODY_TIMEOUT_MS, collectBody } from '../../../packages/http/src/body/collect-body.ts';

/**
 * Runs `collectBody` on a real request whose sender does as `send` says.
 * @param afterArrival what the sender does once the server reads the body
 */
async function collected(
  send: (request: ReturnType<typeof httpRequest>) => void,
  { timeoutMs, afterArrival }: { timeoutMs?: number; afterArrival?: typeof send } = {},
): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = httpRequest({ port: (server.address() as AddressInfo).port, method: 'POST' });
  request.on('error', () => undefined);
  send(request);
  const [incoming] = (await once(server, 'request')) as [IncomingMessage];
  try {
    const body = collectBody(incoming, timeoutMs === undefined ? {} : { timeoutMs });
    afterArrival?.(request);
    return (await body).toString();
  } catch (error) {
    return PaymountError.is(error) ? error.code : String(error);
  } finally {
    request.destroy();
    server.close();
    server.closeAllConnections();
  }
}

describe('a slow body', () => {
  it('has ten seconds', () => {
    expect(BODY_TIMEOUT_MS).to.equal(10_000);
  });

  it('is refused when its end does not come in time', async () => {
    expect(await collected((request) => request.write('{"amount":'), { timeoutMs: 20 })).to.equal(
      'body_timeout',
    );
  });

  it('is read when it comes in pieces', async () => {
    const pieces = (request: ReturnType<typeof httpRequest>): void => {
      request.write('{"a":');
      setImmediate(() => request.end('1}'));
    };
    expect(await collected(pieces)).to.equal('{"a":1}');
  });

  it('is given up when the connection closes', async () => {
    const broken = (request: ReturnType<typeof httpRequest>): void => {
      request.setHeader('content-length', 100);
      request.write('{"a":');
    };
    const afterArrival = (request: ReturnType<typeof httpRequest>): void => {
      request.destroy();
    };
    expect(await collected(broken, { afterArrival })).to.equal('invalid_json');
  });
});
