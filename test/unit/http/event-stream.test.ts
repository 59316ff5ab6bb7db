import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  IncomingMessage,
  type Server,
  ServerResponse,
} from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { newId, PaymountError, type Principal } from '@paymount/core/kernel';
import { EventStream, sendStream } from '@paymount/http';
import { expect } from 'chai';
import { EventFeed } from '../../../packages/core/src/events/feed/event-feed.ts';
import type { Feed } from '../../../packages/http/src/streams/event-stream.ts';
import { type FakeClock, fakeClock } from '../../support/clock.ts';
import { openStream } from '../../support/event-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryEvents, OWNER } from '../../support/memory-events.ts';

const HAPPENING = { id: 'evt_1', type: 'charge.succeeded', body: '{"a":1}' } as const;
const CALLER: Principal = { ...OWNER, kind: 'host', scopes: 'all' };

/** What a stream reads from: as many of one event as it is told, or an error. */
class ScriptedFeed {
  mark: string | undefined = undefined;
  readonly isBehind = false;
  next: Error | number = 0;

  async *pending(): AsyncGenerator<typeof HAPPENING> {
    if (this.next instanceof Error) throw this.next;
    for (; this.next > 0; this.next -= 1) yield HAPPENING;
  }
}

describe('the answer of a stream', () => {
  let clock: FakeClock;
  let feed: ScriptedFeed;
  let followed: Feed | undefined;
  let server: Server;
  let url: string;
  let drainLimitMs: number;
  let admit: () => Principal | Promise<Principal>;
  let streams: EventStream[];
  let failures: unknown[];
  let endings: Promise<void>[];

  beforeEach(async () => {
    clock = fakeClock('2026-11-21T09:30:00.000Z');
    feed = new ScriptedFeed();
    followed = undefined;
    drainLimitMs = 30_000;
    admit = () => CALLER;
    streams = [];
    failures = [];
    endings = [];
    server = createServer((_, response) => {
      const stopping = new AbortController();
      const ports = { feed: followed ?? feed, clock, stopping };
      const stream = new EventStream({ ...ports, admit: () => admit() });
      streams.push(stream);
      const sent = { requestId: newId('req') };
      const ending = sendStream(response, { sent, stream }, drainLimitMs);
      endings.push(ending.catch((error: unknown) => void failures.push(error)));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  it('is cut when the client takes nothing for so long', async () => {
    drainLimitMs = 50;
    feed.next = 5_000_000;
    const request = httpRequest(url, { agent: false }).end();
    request.on('error', () => undefined);
    const [response]: [IncomingMessage] = (await once(request, 'response')) as never;
    response.on('error', () => undefined);
    response.pause();
    const [stream] = streams;
    if (stream === undefined) throw new Error('None was opened.');
    if (!stream.stopped.aborted) await once(stream.stopped, 'abort');
    // What was not taken was not asked for either.
    expect(feed.next).to.be.above(4_000_000);
    response.resume();
    const [error] = await once(response, 'error').catch((thrown: unknown) => [thrown]);
    expect(error).to.include({ code: 'ECONNRESET' });
  });

  it('reads nothing more once the client has gone', async () => {
    const client = await openStream(url, 'key');
    await client.until(/retry/);
    client.close();
    await once(streams[0]?.stopped ?? new EventTarget(), 'abort');
    feed.next = 1;
    await endings[0];
    expect(feed.next).to.equal(1);
  });

  it('stays open without events while they cannot be read, and then continues', async () => {
    feed.next = new Error('The database is out of reach.');
    const client = await openStream(url, 'key');
    await client.until(/retry/);
    clock.advance(15_000);
    await client.until(/still here/);
    clock.advance(14_999);
    feed.next = 1;
    await client.waitFor(1);
    feed.next = new Error('Once more.');
    clock.advance(29_999);
    await client.until(/(still here\n\n[\s\S]*){2}/);
    client.close();
    expect(failures).to.deep.equal([]);
  });

  it('ends after 30 s in which the events could not be read', async () => {
    const outage = new Error('The database is out of reach.');
    feed.next = outage;
    const client = await openStream(url, 'key');
    await client.until(/retry/);
    clock.advance(15_000);
    await client.until(/still here/);
    clock.advance(15_000);
    await client.ended();
    expect(failures).to.deep.equal([outage]);
    expect(client.events).to.deep.equal([]);
  });

  it('sends nothing while it is unknown whether the credential is still valid', async () => {
    admit = () => {
      throw new PaymountError('unavailable');
    };
    feed.next = 1;
    const client = await openStream(url, 'key');
    clock.advance(15_000);
    await client.until(/still here/);
    expect(client.events).to.deep.equal([]);
    admit = () => CALLER;
    await client.waitFor(1);
  });

  it('asks again before each event', async () => {
    let left = 3;
    admit = async () => {
      left -= 1;
      if (left < 0) throw new PaymountError('api_key_revoked');
      return CALLER;
    };
    feed.next = 5;
    const client = await openStream(url, 'key');
    await client.ended();
    expect(client.events.map(({ event, id }) => event ?? id)).to.deep.equal([
      'evt_1',
      'evt_1',
      'end',
    ]);
  });

  it('leaves out what the credential may not read by now', async () => {
    let isNarrow = true;
    admit = () => (isNarrow ? { ...CALLER, scopes: new Set(['webhooks:write']) } : CALLER);
    feed.next = 2;
    const client = await openStream(url, 'key');
    await eventually(() => feed.next === 0);
    isNarrow = false;
    feed.next = 1;
    await client.waitFor(1);
    expect(client.events).to.have.length(1);
  });

  it('loses no event when one look at the credential fails', async () => {
    const events = new MemoryEvents();
    const machine = fakeClock();
    followed = await EventFeed.start({ reader: events, clock: machine, owner: OWNER }, {});
    const ids = [1, 2, 3].map((ms) => events.commit(Date.now() + ms));
    let calls = 0;
    admit = async () => {
      calls += 1;
      if (calls === 2) throw new PaymountError('unavailable');
      return CALLER;
    };
    const client = await openStream(url, 'key');
    await client.waitFor(3);
    expect(client.events.map(({ id }) => id)).to.deep.equal(ids);
  });

  it('marks once where all that was there before has been sent', async () => {
    feed.next = 1;
    const client = await openStream(url, 'key');
    await client.waitFor(1);
    feed.mark = 'evt_2';
    await client.until(/id: evt_2\n\n/);
    feed.next = 1;
    await client.waitFor(2);
    expect(client.text).to.equal(
      'retry: 2000\n\nid: evt_1\ndata: {"a":1}\n\nid: evt_2\n\nid: evt_1\ndata: {"a":1}\n\n',
    );
  });

  it('leaves alone what was answered already, and stops', async () => {
    const answered = createServer((_, response) => {
      response.end('by the host');
      const stopping = new AbortController();
      const stream = new EventStream({ feed, clock, stopping, admit: () => admit() });
      streams.push(stream);
      endings.push(sendStream(response, { sent: { requestId: newId('req') }, stream }));
    }).listen(0, '127.0.0.1');
    await once(answered, 'listening');
    const { port } = answered.address() as AddressInfo;
    const client = await openStream(`http://127.0.0.1:${port}/`, 'key');
    await client.ended();
    await Promise.all(endings);
    expect([client.text, streams[0]?.stopped.aborted]).to.deep.equal(['by the host', true]);
    answered.close();
  });

  it('stops when its head cannot be written', async () => {
    const stopping = new AbortController();
    const stream = new EventStream({ feed, clock, stopping, admit: () => admit() });
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const sent = { requestId: newId('req'), headers: { 'X-A': 'line\nbreak' } };
    const ending = await sendStream(response, { sent, stream }).catch((error: unknown) => error);
    expect(ending).to.include({ code: 'ERR_INVALID_CHAR' });
    expect(stream.stopped.aborted).to.equal(true);
  });
});
