import { expect } from 'chai';
import { EventSource, type StreamedEvent } from '../../../packages/cli/src/listen/event-source.ts';
import { type Answer, type Receiver, startReceiver } from '../../support/receiver.ts';

const idOf = (digit: string): string => `evt_01m7yq1we0000000000000000${digit}`;
const eventOf = (digit: string, facts: object = {}): string => {
  const body = { id: idOf(digit), type: 'charge.succeeded', livemode: false, ...facts };
  return `id: ${idOf(digit)}\ndata: ${JSON.stringify(body)}\n\n`;
};
const RETRY = 'retry: 100\n\n';
const streamAnswer = (...blocks: readonly string[]): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  body: blocks.join(''),
});
const errorAnswer = (status: number, code: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { code, message: `It is ${code}.`, request_id: 'req_1' } }),
});

describe('the event source of `paymount listen`', () => {
  let server: Receiver;
  let stop: AbortController;
  let opened: number;
  let cuts: [reason: string, waitMs: number][];

  beforeEach(async () => {
    server = await startReceiver();
    server.otherwise(errorAnswer(401, 'api_key_revoked'));
    stop = new AbortController();
    opened = 0;
    cuts = [];
  });
  afterEach(() => server.close());

  /** Reads to the end; the script ends with what no other try would mend. */
  async function read(types: readonly string[] = []): Promise<{ ids: string[]; end: unknown }> {
    const source = new EventSource({
      settings: { baseUrl: server.url, key: 'the-key' },
      types,
      stop: stop.signal,
      onOpen: () => {
        opened += 1;
      },
      onCut: (...cut) => cuts.push(cut),
    });
    const events: StreamedEvent[] = [];
    let end: unknown;
    try {
      for await (const event of source.events()) events.push(event);
    } catch (error) {
      end = error;
    }
    return { ids: events.map(({ id }) => id.slice(-1)), end };
  }

  const cursors = (): unknown[] =>
    server.requests.map(({ headers }) => headers['last-event-id']?.slice(-1));

  it('goes on after the last event, and drops what it had', async () => {
    server.script(
      streamAnswer(RETRY, eventOf('5'), eventOf('6')),
      streamAnswer(RETRY, eventOf('5'), eventOf('6'), eventOf('7')),
    );
    expect((await read()).ids).to.deep.equal(['5', '6', '7']);
    expect(cursors()).to.deep.equal([undefined, '6', '7']);
    expect(server.requests[0]?.headers).to.include({
      authorization: 'Bearer the-key',
      accept: 'text/event-stream',
    });
  });

  it('goes on where it began when it was cut before any event', async () => {
    server.script(streamAnswer(RETRY, `id: ${idOf('4')}\n\n`), streamAnswer(eventOf('5')));
    expect((await read()).ids).to.deep.equal(['5']);
    expect(cursors()).to.deep.equal([undefined, '4', '5']);
  });

  it('says that it is open once, and not before it has a place to go on from', async () => {
    server.script(streamAnswer(RETRY));
    await read();
    expect(opened).to.equal(0);
    server.script(streamAnswer(RETRY, `id: ${idOf('4')}\n\n`), streamAnswer(eventOf('5')));
    await read();
    expect(opened).to.equal(1);
  });

  it('drops what was there before it began, but for what was committed late', async () => {
    server.script(
      streamAnswer(RETRY, `id: ${idOf('4')}\n\n`, eventOf('3'), eventOf('5')),
      streamAnswer(eventOf('2'), eventOf('3'), eventOf('4'), eventOf('5'), eventOf('6')),
    );
    expect((await read()).ids).to.deep.equal(['3', '5', '6']);
  });

  it('takes what commits late, once what is sent anew has been sent', async () => {
    const mark = (digit: string): string => `id: ${idOf(digit)}\n\n`;
    server.script(
      streamAnswer(RETRY, mark('4')),
      streamAnswer(eventOf('2'), mark('5'), eventOf('3'), eventOf('6')),
    );
    expect((await read()).ids).to.deep.equal(['3', '6']);
    expect(cursors()).to.deep.equal([undefined, '4', '6']);
  });

  it('takes what commits late after its place was lost, too', async () => {
    server.script(
      streamAnswer(RETRY, eventOf('2')),
      errorAnswer(400, 'invalid_cursor'),
      streamAnswer(`id: ${idOf('6')}\n\n`, eventOf('5'), eventOf('7')),
    );
    expect((await read()).ids).to.deep.equal(['2', '5', '7']);
  });

  it('asks for the types that are wanted', async () => {
    await read(['charge.*', 'payout.paid']);
    expect(server.requests[0]?.path).to.equal(
      '/v1/events/stream?types[]=charge.*&types[]=payout.paid',
    );
  });

  it('starts from now when its last event is no longer known', async () => {
    server.script(
      streamAnswer(RETRY, eventOf('5')),
      errorAnswer(400, 'invalid_cursor'),
      streamAnswer(eventOf('6')),
    );
    expect((await read()).ids).to.deep.equal(['5', '6']);
    expect(cursors()).to.deep.equal([undefined, '5', undefined, '6']);
    expect(cuts[1]?.[0]).to.include('continues with new events');
  });

  it('waits longer after each failure in a row, and no longer than before once it is connected', async () => {
    server.script(
      streamAnswer(RETRY, eventOf('5')),
      errorAnswer(503, 'unavailable'),
      'reset',
      errorAnswer(429, 'rate_limit'),
      streamAnswer(eventOf('6')),
    );
    await read();
    expect(cuts).to.deep.equal([
      ['the server ended it', 100],
      ['it answered 503', 200],
      ['the connection was reset (ECONNRESET)', 400],
      ['it answered 429', 800],
      ['the server ended it', 100],
    ]);
  });

  it('does not retry an error that a retry cannot fix', async () => {
    for (const [answer, code] of [
      [errorAnswer(401, 'api_key_revoked'), 'api_key_revoked'],
      [errorAnswer(403, 'insufficient_scope'), 'insufficient_scope'],
      [errorAnswer(400, 'test_mode_only'), 'test_mode_only'],
      [{ redirect: 'http://127.0.0.1:9/' }, 'redirect'],
      [
        streamAnswer(
          'event: end\ndata: {"code":"credential_revoked","message":"It was revoked."}\n\n',
        ),
        'credential_revoked',
      ],
    ] as const) {
      server.script(streamAnswer(RETRY), answer);
      const { end } = await read();
      expect(end, code).to.include({ name: 'CommandFailure', exitCode: 1, code });
    }
  });

  it('gives up when the first connection fails', async () => {
    for (const [answer, code] of [
      ['reset', 'unreachable'],
      [errorAnswer(503, 'unavailable'), 'unavailable'],
      [errorAnswer(429, 'rate_limit'), 'rate_limit'],
      [200, 'answer_unknown'],
    ] as const) {
      server.script(answer);
      expect((await read()).end, code).to.include({ exitCode: 1, code });
    }
    expect(cuts).to.deep.equal([]);
  });

  it('gives nothing on that is not of test', async () => {
    for (const facts of [{ livemode: true }, { livemode: undefined }]) {
      server.script(streamAnswer(eventOf('5', facts)));
      const { ids, end } = await read();
      expect([ids, (end as { code: string }).code]).to.deep.equal([[], 'test_mode_only']);
    }
  });

  it('skips blocks that are not events', async () => {
    const strange = [
      'id: evt_1\ndata: {}\n\n',
      ': a comment\n\n',
      'event: ping\ndata: x\n\n',
      '\n\n',
    ];
    server.script(streamAnswer(...strange, 'id: evt_\r\ndata: {}\r\n\r\n', eventOf('5')));
    expect((await read()).ids).to.deep.equal(['5']);
  });
});
