import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { DeliveryClient } from '@paymount/webhooks';
import { expect } from 'chai';
import { BODY, NOW_MS, send, testClient, toOutcome } from './client.ts';
import { answerAll, http, type Play, rawServers, readRequest } from './raw-server.ts';

describe('A delivery that is answered', () => {
  let client: DeliveryClient;
  const servers = rawServers();
  const serve = async (play: Play): Promise<string> => (await servers.serve(play)).url;

  beforeEach(() => {
    client = testClient({ deadlineMs: 20_000 });
  });

  afterEach(async () => {
    await client.close();
    await servers.close();
  });

  it('sends one POST with the exact bytes and headers', async () => {
    let seen: Awaited<ReturnType<typeof readRequest>>;
    const url = await serve(async (socket) => {
      seen = await readRequest(socket);
      socket.end(http('200 OK'));
    });
    await send(client, `${url}?x=1&y=%20`);
    const [requestLine, ...headers] = seen?.head.split('\r\n') ?? [];
    expect(requestLine).to.equal('POST /hook?x=1&y=%20 HTTP/1.1');
    expect(headers).to.have.members([
      `host: ${new URL(url).host}`,
      'connection: keep-alive',
      'Content-Type: application/json; charset=utf-8',
      'Service-Attempt: 1',
      `content-length: ${BODY.length}`,
    ]);
    expect(seen?.body.equals(BODY)).to.equal(true);
  });

  for (const status of [200, 201, 204, 299]) {
    it(`succeeds on ${status}`, async () => {
      const url = await serve(answerAll(http(`${status} Fine`)));
      expect(toOutcome(await send(client, url))).to.deep.equal({
        outcome: 'succeeded',
        status,
        truncated: false,
      });
    });
  }

  for (const status of [300, 304, 400, 404, 410, 429, 500, 503, 599]) {
    it(`fails with http_status on ${status}`, async () => {
      const url = await serve(answerAll(http(`${status} No`)));
      expect(toOutcome(await send(client, url))).to.deep.equal({
        outcome: 'failed',
        errorCode: 'http_status',
        status,
        truncated: false,
      });
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`never follows a ${status}, and keeps its Location`, async () => {
      const elsewhere = await servers.serve(answerAll(http('200 OK')));
      const url = await serve(answerAll(http(`${status} Go`, [`Location: ${elsewhere.url}`])));
      const result = await send(client, url);
      expect(toOutcome(result)).to.deep.include({ errorCode: 'redirect', status });
      expect('response' in result && result.response.headers['location']).to.equal(elsewhere.url);
      expect(elsewhere.connections).to.equal(0);
    });
  }

  it('keeps status, headers and body as they came', async () => {
    const url = await serve(
      answerAll(
        http('500 Broken', ['X-One: a', 'x-one: b', '__proto__: c', 'X-Two: d'], 'no "café"'),
      ),
    );
    const result = await send(client, url);
    if (!('response' in result)) throw new Error('no response');
    expect(result.response.headers).to.deep.equal({
      'x-one': ['a', 'b'],
      'x-two': 'd',
      'content-length': '10',
    });
    expect(result.response.body.toString()).to.equal('no "café"');
  });

  it('never decompresses a body', async () => {
    for (const [encoding, bytes] of [
      ['gzip', gzipSync(Buffer.alloc(10_000_000))],
      ['br', brotliCompressSync(Buffer.alloc(10_000_000))],
    ] as const) {
      const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
      const url = await serve(answerAll(Buffer.concat([Buffer.from(head), bytes])));
      const result = await send(client, url);
      if (!('response' in result)) throw new Error('no response');
      expect(result.response.body.equals(bytes.subarray(0, 16_384))).to.equal(true);
    }
  });

  it('keeps 16 KiB of a body exactly, and marks a longer one as truncated', async () => {
    const whole = await send(
      client,
      await serve(answerAll(http('200 OK', [], 'x'.repeat(16_384)))),
    );
    expect(toOutcome(whole)).to.include({ outcome: 'succeeded', truncated: false });
    expect('response' in whole && whole.response.body.length).to.equal(16_384);
    const cut = await send(client, await serve(answerAll(http('200 OK', [], 'x'.repeat(16_385)))));
    expect(toOutcome(cut)).to.include({ outcome: 'succeeded', truncated: true });
    expect('response' in cut && cut.response.body.length).to.equal(16_384);
  });

  it('hangs up on an endless body at 16 KiB', async () => {
    let written = 0;
    let hungUp: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => {
      hungUp = resolve;
    });
    const url = await serve(async (socket) => {
      socket.on('close', () => hungUp?.());
      await readRequest(socket);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n');
      const pump = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) written += 65_536;
      };
      socket.on('drain', pump);
      pump();
    });
    expect(toOutcome(await send(client, url))).to.include({
      outcome: 'succeeded',
      truncated: true,
    });
    await closed;
    expect(written).to.be.below(64 * 1_048_576);
  });

  it('gives a dripping body its time after the head, and succeeds', async () => {
    const url = await serve(async (socket) => {
      await readRequest(socket);
      // The first of it comes with the head: a machine that stands still may read nothing later in time.
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 1000\r\n\r\nx');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await send(client, url);
    expect(toOutcome(result)).to.deep.equal({ outcome: 'succeeded', status: 202, truncated: true });
    // Its 200 ms, and what a busy machine adds; the whole body would take 20 s.
    expect(result.durationMs).to.be.within(190, 5_000);
    expect('response' in result && result.response.body.toString()).to.match(/^x+$/);
  });

  it('succeeds when the receiver resets after the head', async () => {
    const url = await serve(async (socket) => {
      await readRequest(socket);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', () =>
        socket.resetAndDestroy(),
      );
    });
    const result = await send(client, url);
    expect(toOutcome(result)).to.deep.equal({ outcome: 'succeeded', status: 200, truncated: true });
  });

  it('waits through announcements (103) for the answer itself', async () => {
    const url = await serve(
      answerAll(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${http('200 OK')}`),
    );
    expect(toOutcome(await send(client, url))).to.include({ outcome: 'succeeded', status: 200 });
  });

  const ok = http('200 OK', [], 'ab');
  // What a client must or may accept, by the section that says so.
  const legal: readonly (readonly [string, string | Buffer])[] = [
    ['a 100 that nobody asked for (RFC 9110, 15.2)', `HTTP/1.1 100 Continue\r\n\r\n${ok}`],
    [
      'several informational responses (RFC 9110, 15.2)',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Wait\r\nx: y\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${ok}`,
    ],
    [
      'a field that continues on the next line (RFC 9112, 5.2)',
      'HTTP/1.1 200 OK\r\nx-a: one\r\n  two\r\n\tthree\r\ncontent-length: 2\r\n\r\nab',
    ],
    [
      'one length that is given twice (RFC 9112, 6.3)',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a list of equal lengths (RFC 9112, 6.3)',
      'HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nab',
    ],
    ['tabs around a length (RFC 9110, 5.6.3)', 'HTTP/1.1 200 OK\r\ncontent-length:\t2\t\r\n\r\nab'],
    [
      'tabs around a coding (RFC 9110, 5.6.3)',
      'HTTP/1.1 200 OK\r\ntransfer-encoding:\tchunked\t\r\n\r\n2\r\nab\r\n0\r\n\r\n',
    ],
    ['a later minor version (RFC 9110, 2.5)', 'HTTP/1.2 200 OK\r\ncontent-length: 2\r\n\r\nab'],
    ['lines that end with a line feed (RFC 9112, 2.2)', 'HTTP/1.1 200 OK\ncontent-length: 2\n\nab'],
    ['no reason (RFC 9112, 4)', 'HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nab'],
    [
      'chunks with extensions and trailers (RFC 9112, 7.1)',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2;a=b;c="d"\r\nab\r\n0\r\nx: y\r\n\r\n',
    ],
    [
      'an offer of another protocol (RFC 9110, 7.8)',
      'HTTP/1.1 200 OK\r\nupgrade: h2c\r\nconnection: Upgrade\r\ncontent-length: 2\r\n\r\nab',
    ],
    [
      'bytes beyond ASCII and empty fields (RFC 9110, 5.5)',
      Buffer.from('HTTP/1.1 200 Voilà\r\nx: é\r\ny:\r\ncontent-length: 2 \r\n\r\nab', 'latin1'),
    ],
  ];
  for (const [name, bytes] of legal) {
    it(`accepts ${name}, also byte by byte, and uses the connection again`, async () => {
      const all = await servers.serve(answerAll(bytes));
      for (let sent = 0; sent < 2; sent += 1) {
        const result = await send(client, all.url);
        expect(toOutcome(result)).to.deep.equal({
          outcome: 'succeeded',
          status: 200,
          truncated: false,
        });
        expect('response' in result && result.response.body.toString()).to.equal('ab');
      }
      expect(all.connections).to.equal(1);
      const slow = await serve(async (socket) => {
        socket.setNoDelay(true);
        await readRequest(socket);
        for (const byte of Buffer.from(bytes)) {
          await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
        }
      });
      expect(toOutcome(await send(client, slow))).to.include({ status: 200, truncated: false });
    });
  }

  it('joins the lines of a field, and reads until the end of an HTTP/1.0 connection', async () => {
    const folded = await serve(
      answerAll('HTTP/1.1 200 OK\r\nx-a: one\r\n  two\r\ncontent-length: 0\r\n\r\n'),
    );
    const result = await send(client, folded);
    expect('response' in result && result.response.headers['x-a']).to.equal('one two');
    const old = await serve(async (socket) => {
      await readRequest(socket);
      socket.end('HTTP/1.0 200 OK\r\n\r\nto the end');
    });
    const read = await send(client, old);
    expect(toOutcome(read)).to.include({ outcome: 'succeeded', truncated: false });
    expect('response' in read && read.response.body.toString()).to.equal('to the end');
  });

  const hints = [
    ['429 Slow', 'Retry-After: 120', 120_000],
    ['503 Busy', 'Retry-After: Sat, 21 Nov 2026 09:40:00 GMT', 600_000],
    ['503 Busy', 'Retry-After: Sat, 21 Nov 2026 09:29:59 GMT', undefined],
    ['503 Busy', 'Retry-After: Saturday, 21-Nov-26 09:40:00 GMT', 600_000],
    ['503 Busy', 'Retry-After: Saturday, 21-Nov-77 09:40:00 GMT', undefined],
    ['503 Busy', 'Retry-After: Sat Nov 21 09:40:00 2026', 600_000],
    ['503 Busy', 'Retry-After: Tue Dec  1 09:30:00 2026', 864_000_000],
    ['429 Slow', 'Retry-After: 0', undefined],
    ['429 Slow', 'Retry-After: -5', undefined],
    ['429 Slow', 'Retry-After: soon', undefined],
    ['429 Slow', 'Retry-After: 1e9', undefined],
    ['500 Broken', 'Retry-After: 120', undefined],
    ['200 OK', 'Retry-After: 120', undefined],
  ] as const;
  for (const [status, header, expected] of hints) {
    it(`reads "${header}" of a ${status.slice(0, 3)} as ${expected ?? 'no hint'}`, async () => {
      expect(new Date(NOW_MS).toISOString()).to.equal('2026-11-21T09:30:00.000Z');
      const result = await send(client, await serve(answerAll(http(status, [header]))));
      expect('response' in result && result.response.retryAfterMs).to.equal(expected);
    });
  }
});
