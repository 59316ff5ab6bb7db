import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { askRaw } from './raw-request.ts';

/** `askRaw` sends two lines of its own: `Host` and `Connection`. */
const OWN_LINES = 2;

describe('many header lines', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
    app.app.use('/hook', app.paymount.leakRouter());
  });
  after(() => app.close());

  const linesOf = (count: number, ...last: string[]): string[] => [
    ...Array.from({ length: count - OWN_LINES - last.length }, (_, index) => `x${index}: 1`),
    ...last,
  ];
  const key = (): string => `Authorization: Bearer ${app.secretKey}`;

  it('are taken below a thousand', async () => {
    const answer = await askRaw(app.port, 'GET /v1/balance', { lines: linesOf(999, key()) });
    expect(answer.status, answer.text).to.equal('200');
  });

  it('are refused from a thousand on, on every router, whatever they contain', async () => {
    for (const start of ['GET /v1/balance', `GET ${MOUNT}/accounts`, 'POST /hook/leaks/github']) {
      for (const count of [1_000, 1_001, 1_500]) {
        const lines = [key(), ...linesOf(count - 1)];
        const answer = await askRaw(app.port, start, { lines });
        expect(answer.status, `${start} ${count}`).to.equal('431');
        expect(answer.text).to.include('"code":"too_many_headers"');
      }
    }
  });

  it('hide no second key, which node would drop', async () => {
    const lines = [key(), ...linesOf(1_100, 'Authorization: Bearer sk_test_other')];
    expect((await askRaw(app.port, 'GET /v1/balance', { lines })).status).to.equal('431');
  });

  it('are fewer where the host lets its server keep fewer', async () => {
    const server = createServer(app.app);
    server.maxHeadersCount = 50;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const few = await askRaw(port, 'GET /v1/balance', { lines: linesOf(49, key()) });
      expect(few.status, few.text).to.equal('200');
      for (const count of [50, 60]) {
        const lines = [key(), ...linesOf(count - 1)];
        const answer = await askRaw(port, 'GET /v1/balance', { lines });
        expect([answer.status, answer.text.includes('50 header lines or more')]).to.deep.equal([
          '431',
          true,
        ]);
      }
    } finally {
      server.close();
    }
  });
});
