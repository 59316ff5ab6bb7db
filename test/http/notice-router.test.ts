import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import express from 'express';
import type { NoticeSource } from 'paymount/processor';
import request from 'supertest';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { hangingRequests } from '../support/hanging-requests.ts';
import { LiveBank } from '../support/live-bank.ts';
import {
  NOTICES_PATH,
  type NoticeSetup,
  notice,
  startNoticeSetup,
} from '../support/notifying-bank.ts';
import { rejectionCode } from '../support/rejection-code.ts';

const SALE = { amount: 10_000, currency: 'eur', source: 'tok_timeout_approved' };
const UNKNOWN = {
  kind: 'charge.settled',
  processorReference: 'nobody',
  data: { amount: 1, currency: 'eur' },
};

describe('The router for notices', () => {
  let setup: NoticeSetup;

  before(async () => {
    setup = await startNoticeSetup();
  });
  after(() => setup.close());
  afterEach(() => {
    setup.bank.reading = undefined;
    setup.forget();
  });

  const count = async (): Promise<number> =>
    (
      await query<{ n: number }>(
        setup.databaseUrl,
        'SELECT count(*)::integer AS n FROM paymount.notices',
      )
    )[0]?.n ?? 0;

  it('refuses a wrong signature without details, and stores nothing', async () => {
    const before = await count();
    const { body } = await setup.send([notice(UNKNOWN)], 'forged').expect(400);
    expect(body.error).to.deep.include({
      type: 'invalid_request_error',
      code: 'notice_refused',
    });
    expect(JSON.stringify(body)).not.to.include('0xbad');
    expect(await count()).to.equal(before);
  });

  for (const [what, reading] of Object.entries<(source: NoticeSource) => AsyncIterable<unknown>>({
    'throws half-way': async function* () {
      yield notice(UNKNOWN);
      throw new Error('The second half is missing.');
    },
    'throws before it reads': () => {
      throw new Error('It cannot read that.');
    },
    'returns an iterator that gives nothing': () => ({
      // Whatever an adapter in JavaScript gives is read as unknown.
      [Symbol.asyncIterator]: () =>
        ({ next: () => undefined }) as unknown as AsyncIterator<unknown>,
    }),
    'yields more than 1,000 notices': async function* () {
      for (;;) yield notice(UNKNOWN);
    },
  })) {
    it(`stores nothing when the adapter ${what}`, async () => {
      const before = await count();
      setup.bank.reading = reading;
      const { body } = await setup.send([]).expect(400);
      expect(body.error.code).to.equal('notice_refused');
      expect(await count()).to.equal(before);
    });
  }

  it('stores nothing when the adapter does not end within 30 seconds', async () => {
    const { setTimeout: real } = globalThis;
    const before = await count();
    setup.bank.reading = async function* () {
      yield notice(UNKNOWN);
      await new Promise(() => undefined);
    };
    const sooner: typeof setTimeout = Object.assign(
      (then: () => void, ms = 0) => real(then, ms > 20_000 && ms <= 30_000 ? 50 : ms),
      real,
    );
    globalThis.setTimeout = sooner;
    try {
      await setup.send([]).expect(400);
    } finally {
      globalThis.setTimeout = real;
    }
    expect(await count()).to.equal(before);
  });

  it('answers 200 to an empty list, and to what it has already', async () => {
    await setup.send([]).expect(200, { received: 0, recorded: 0 });
    const sent = notice(UNKNOWN);
    await setup.send([sent, sent]).expect(200, { received: 2, recorded: 1 });
    await setup.send([sent]).expect(200, { received: 1, recorded: 0 });
  });

  it('answers 404 below its path and 405 to other methods', async () => {
    const lower = await request(setup.url).post(`${NOTICES_PATH}/more`).expect(404);
    expect(lower.body.error.code).to.equal('route_missing');
    const { body, headers } = await request(setup.url).get(NOTICES_PATH).expect(405);
    expect(body.error.code).to.equal('method_not_allowed');
    expect(headers['allow']).to.equal('POST');
  });

  it('answers 413 to more than a mebibyte', async () => {
    const { body } = await setup.send('x'.repeat(1_048_577)).expect(413);
    expect(body.error.code).to.equal('body_too_large');
  });

  it('stores nothing of a body that breaks off', async () => {
    const before = await count();
    const socket = connect(setup.port, '127.0.0.1');
    const head = `POST ${NOTICES_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n[`;
    socket.end(head);
    socket.resume();
    await eventually(() => socket.destroyed || socket.readableEnded);
    expect(await count()).to.equal(before);
  });

  describe('while strangers send notices that never end', () => {
    let proxied: NoticeSetup;
    before(async () => {
      proxied = await startNoticeSetup({ trustedProxies: ['127.0.0.1'] });
    });
    after(() => proxied.close());
    const hang = (address: string, count: number) =>
      hangingRequests({ port: proxied.port, path: NOTICES_PATH, address }, count);
    const sendFrom = (address: string) => proxied.send([]).set('X-Forwarded-For', address);

    it('takes those of every other address, and makes only theirs wait', async () => {
      const close = await hang('203.0.113.1', 60);
      try {
        await sendFrom('198.51.100.1').expect(200);
        const { body, headers } = await sendFrom('203.0.113.1').expect(503);
        expect([body.error.code, headers['retry-after']]).to.deep.equal(['unavailable', '1']);
      } finally {
        close();
      }
      await sendFrom('203.0.113.1').expect(200);
    });

    it('takes those of a sender whose notices were genuine before, though they have many addresses', async () => {
      await sendFrom('198.51.100.7').expect(200);
      const closings = await Promise.all(
        Array.from({ length: 8 }, (_, at) => hang(`203.0.113.${at}`, 10)),
      );
      try {
        await sendFrom('198.51.100.7').expect(200);
      } finally {
        for (const close of closings) close();
      }
    });

    it('takes those of a new sender, instead of bodies that do not arrive', async () => {
      for (const [addresses, each] of [
        [8, 10],
        [70, 1],
      ] as const) {
        const closings = await Promise.all(
          Array.from({ length: addresses }, (_, at) => hang(`192.0.2.${at}`, each)),
        );
        try {
          await sendFrom(`198.51.100.${addresses}`).expect(200);
        } finally {
          for (const close of closings) close();
        }
      }
    });

    it('says to send a body again whose place another sender got', async () => {
      const socket = connect(proxied.port, '127.0.0.1');
      socket.setEncoding('utf8');
      let answer = '';
      socket.on('data', (text: string) => {
        answer += text;
      });
      const forwarded = 'X-Forwarded-For: 192.0.2.200';
      socket.write(
        `POST ${NOTICES_PATH} HTTP/1.1\r\nHost: x\r\n${forwarded}\r\nContent-Length: 100\r\n\r\n[`,
      );
      const closings = await Promise.all(
        Array.from({ length: 39 }, (_, at) => hang(`192.0.2.${at}`, 1)),
      );
      try {
        await sendFrom('198.51.100.99').expect(200);
        await eventually(() => socket.readableEnded || socket.destroyed);
        expect(answer).to.match(/^HTTP\/1\.1 408 /);
        expect(answer).to.include('Connection: close');
        expect(answer).to.include('Send it again, without a pause.');
      } finally {
        for (const close of closings) close();
        socket.destroy();
      }
    });
  });

  it('works with raw bytes that a parser of the host has kept, and says when there are none', async () => {
    const router = setup.paymount.noticeRouter({ environment: 'test', requireTls: false });
    const parsed = express().use(express.json()).use('/n', router);
    const raw = express()
      .use(express.raw({ type: '*/*' }))
      .use('/n', router);
    const send = (app: express.Express) =>
      request(app).post('/n').set('X-Signature', 'signed by the bank').type('json').send('[]');
    await send(raw).expect(200, { received: 0, recorded: 0 });
    const { body } = await send(parsed).expect(503);
    expect(body.error.code).to.equal('raw_body_unavailable');
  });

  it('leaves other paths to the host where it has no path of its own', async () => {
    const router = setup.paymount.noticeRouter({ environment: 'test', requireTls: false });
    const app = express()
      .use(router)
      .use((_, response) => void response.send('host'));
    await request(app).post('/').expect(200, 'host');
    await request(app).post('/other').expect(200, 'host');
    const alone = createServer(router);
    await request(alone).post('/other').expect(404);
  });

  it('refuses to be mounted for an adapter without ingest, and for no environment', () => {
    const { ingest } = setup.bank;
    Object.assign(setup.bank, { ingest: undefined });
    try {
      expect(() => setup.paymount.noticeRouter({ environment: 'test' })).to.throw(
        'The processor watched takes no notices: its adapter has no `ingest`.',
      );
    } finally {
      Object.assign(setup.bank, { ingest });
    }
    expect(() => setup.paymount.noticeRouter({} as never)).to.throw('`environment` is "live"');
    expect(new LiveBank(setup.clock)).not.to.have.property('ingest');
  });

  describe('and a file of the processor', () => {
    let folder: string;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'notices-'));
    });
    after(() => rm(folder, { recursive: true }));

    it('is stored and applied, and changes nothing when it is given again', async () => {
      const { body } = await setup.post('/v1/charges', SALE).expect(200);
      const operationId = setup.bank.calls.at(-1)?.operationId;
      const data = { amount: 10_000, currency: 'eur' };
      const sent = notice({ kind: 'charge.settled', operationId, processorReference: 'f', data });
      const path = join(folder, 'day.jsonl');
      await writeFile(path, `${JSON.stringify(sent)}\n${JSON.stringify(notice(UNKNOWN))}\n`);
      const take = () => setup.paymount.ingest('test', createReadStream(path));
      expect(await take()).to.deep.equal({ notices: 2, recorded: 2 });
      const { body: after } = await setup.get(`/v1/charges/${body.id}`).expect(200);
      expect(after.status).to.equal('succeeded');
      expect(await take()).to.deep.equal({ notices: 2, recorded: 0 });
    });

    it('is taken up to the first line that cannot be read', async () => {
      const path = join(folder, 'broken.jsonl');
      await writeFile(path, `${JSON.stringify(notice(UNKNOWN))}\nbroken\n`);
      const code = await rejectionCode(setup.paymount.ingest('test', createReadStream(path)));
      expect(code).to.equal('notice_refused');
    });

    it('is refused for a processor that takes no notices', async () => {
      const code = await rejectionCode(
        setup.paymount.ingest('live', createReadStream(join(folder, 'day.jsonl'))),
      );
      expect(code).to.equal('operation_not_supported');
    });
  });
});
