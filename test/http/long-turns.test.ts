import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import { expect } from 'chai';
import { ask, postJson } from '../support/ask.ts';
import { query } from '../support/database.ts';
import type { DisputeSetup } from '../support/dispute-setup.ts';
import { eventually } from '../support/eventually.ts';
import { largestDelivery, startWithLargestObjects } from '../support/largest-objects.ts';
import { leastTurnMs } from '../support/longest-turn.ts';
import { notice } from '../support/notifying-bank.ts';
import { PDF, PURPOSE, postParts } from '../support/upload-file.ts';

/** No turn of the event loop may take longer, because all others wait for its end. */
const LIMIT_MS = 50;
const FIVE_MB = 5_242_880;

const LISTS = [
  'charges',
  'refunds',
  'customers',
  'disputes',
  'events',
  'invoices',
  'subscriptions',
] as const;

/** A list, read without keeping or parsing it. @returns its status and bytes */
async function download(url: string, key: string, more: object = {}): Promise<[number, number]> {
  const headers = { authorization: `Bearer ${key}`, ...more };
  const [response] = await once(get(url, { headers, agent: false }), 'response');
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  return [response.statusCode, bytes];
}

describe('the largest requests and answers: a turn of the event loop', () => {
  let app: DisputeSetup;

  before(async () => {
    app = await startWithLargestObjects();
  });
  after(() => app.close());

  it('is short while the largest page of each list is read, in both forms', async () => {
    for (const path of LISTS) {
      for (const headers of [{}, { 'stripe-version': '2024-06-20' }]) {
        const url = `${app.url}/v1/${path}?limit=100`;
        // On a busy machine a list may take too long, which is another refusal.
        const read = (): Promise<unknown> =>
          eventually(async () => {
            const [status, bytes] = await download(url, app.secretKey, headers);
            return status === 200 && bytes > 2_000_000;
          });
        expect(await leastTurnMs(read, LIMIT_MS), path).to.be.below(LIMIT_MS);
      }
    }
  });

  it('is short while ids are expanded, and what becomes larger than 8 MiB is refused', async () => {
    const expand =
      'expand[]=data.refunds.data.charge&expand[]=data.refunds.data.balance_transaction';
    const ask100 = async (): Promise<void> => {
      const { status, error } = await ask(`${app.url}/v1/charges?limit=100&${expand}`, {
        key: app.secretKey,
      });
      expect([status, error['code'], error['param']]).to.deep.equal([
        400,
        'response_too_large',
        'limit',
      ]);
      expect(error['message']).to.equal(
        'With what `expand` adds, the answer would have more than 8,388,608 bytes. Send a smaller `limit`, or expand fewer fields.',
      );
    };
    expect(await leastTurnMs(ask100, LIMIT_MS)).to.be.below(LIMIT_MS);
    const few = await ask(`${app.url}/v1/charges?limit=5&${expand}`, { key: app.secretKey });
    expect(few.status).to.equal(200);
    const [first] = few.json['data'] as { refunds: { data: { charge: { id: string } }[] } }[];
    expect(first?.refunds.data.map(({ charge }) => charge.id)).to.deep.equal(
      Array(10).fill((first as unknown as { id: string }).id),
    );
  });

  it('is short while one object is expanded four levels deep, in both forms', async () => {
    const [{ id } = { id: '' }] = await query<{ id: string }>(
      app.databaseUrl,
      'SELECT charge_id AS id FROM paymount.refunds GROUP BY 1 HAVING count(*) >= 10 LIMIT 1',
    );
    const paths = ['refunds.data.charge.refunds', 'refunds.data.balance_transaction.source'];
    const expand = paths.map((path) => `expand[]=${path}`).join('&');
    for (const headers of [{}, { 'stripe-version': '2024-06-20' }]) {
      const read = async (): Promise<void> => {
        const [status, bytes] = await download(
          `${app.url}/v1/charges/${id}?${expand}`,
          app.secretKey,
          headers,
        );
        expect(status).to.equal(200);
        expect(bytes).to.be.within(4_000_000, 8_388_608);
      };
      expect(await leastTurnMs(read, LIMIT_MS)).to.be.below(LIMIT_MS);
    }
  });

  it('is short while a change is answered with as much as it may expand', async () => {
    const [{ id } = { id: '' }] = await query<{ id: string }>(
      app.databaseUrl,
      'SELECT charge_id AS id FROM paymount.refunds GROUP BY 1 HAVING count(*) >= 10 LIMIT 1',
    );
    let sent = 0;
    const change = async (): Promise<void> => {
      sent += 1;
      const headers = { 'idempotency-key': `large ${sent}`, 'stripe-version': '2024-06-20' };
      const body = { description: `${sent}`, expand: ['refunds'] };
      const reply = await postJson(`${app.url}/v1/charges/${id}`, body, {
        key: app.secretKey,
        headers,
      });
      expect(reply.status, reply.text.slice(0, 500)).to.equal(200);
      expect(reply.text.length).to.be.within(250_000, 1_048_576);
    };
    expect(await leastTurnMs(change, LIMIT_MS)).to.be.below(LIMIT_MS);
  });

  it('is short while a delivery with a hundred of the largest attempts is read', async () => {
    const id = await largestDelivery(app);
    for (const headers of [{}, { 'stripe-version': '2024-06-20' }]) {
      const read = async (): Promise<void> => {
        const [status, bytes] = await download(
          `${app.url}/v1/deliveries/${id}`,
          app.secretKey,
          headers,
        );
        expect(status).to.equal(200);
        expect(bytes).to.be.above(2_000_000);
      };
      expect(await leastTurnMs(read, LIMIT_MS)).to.be.below(LIMIT_MS);
    }
    const shown = await ask(`${app.url}/v1/deliveries/${id}`, {
      key: app.secretKey,
      headers: { 'stripe-version': '2024-06-20' },
    });
    const [attempt] = shown.json['attempts'] as { started_at: unknown }[];
    expect(attempt?.started_at).to.be.a('number');
  });

  it('keeps 64 MiB of answers that an account does not read, and no more', async () => {
    const url = `${app.url}/v1/events?limit=100`;
    const headers = { authorization: `Bearer ${app.secretKey}` };
    const unread: ClientRequest[] = [];
    try {
      await eventually(async () => {
        const asked = get(url, { headers, agent: false });
        const [response] = await once(asked, 'response');
        response.pause();
        if (response.statusCode === 200) unread.push(asked);
        return unread.length === 2;
      });
      const refused = await eventually(
        () => ask(url, { key: app.secretKey }),
        ({ status }) => status === 429,
      );
      const { error, headers: sent } = refused;
      expect([error['code'], error['type'], sent['retry-after']]).to.deep.equal([
        'bytes_limit_reached',
        'rate_limit_error',
        '1',
      ]);
    } finally {
      for (const asked of unread) asked.destroy();
    }
    await eventually(async () => (await download(url, app.secretKey))[0] === 200);
  });

  it('is short while a thousand notices are stored, and applied', async () => {
    const data = { amount: 1, currency: 'eur', text: 'a'.repeat(700) };
    const store = async (): Promise<void> => {
      const notices = Array.from({ length: 1_000 }, () =>
        notice({ kind: 'charge.settled', processorReference: 'nobody', data }),
      );
      await app.send(notices).expect(200, { received: 1_000, recorded: 1_000 });
    };
    expect(await leastTurnMs(store, LIMIT_MS)).to.be.below(LIMIT_MS);
  });

  it('is short while a form of a million empty parts is refused', async () => {
    const part = '\r\n--b';
    const body = Buffer.from(`--b${part.repeat(FIVE_MB / part.length)}--\r\n`);
    const post = async (): Promise<void> => {
      const { status, error } = await ask(`${app.url}/v1/files`, {
        key: app.secretKey,
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
      expect([status, error['message']]).to.deep.equal([400, 'The form has more than 20 parts.']);
    };
    expect(await leastTurnMs(post, LIMIT_MS)).to.be.below(LIMIT_MS);
  });

  it('is short while the largest file is stored', async () => {
    const content = Buffer.concat([PDF, Buffer.alloc(FIVE_MB - PDF.length, 32)]);
    const file = { name: 'file', filename: 'a.pdf', type: 'application/pdf', content };
    const post = async (): Promise<void> => {
      const reply = await postParts(`${app.url}/v1/files`, [PURPOSE, file], { key: app.secretKey });
      expect(reply.json, reply.text).to.include({ size: FIVE_MB });
    };
    expect(await leastTurnMs(post, LIMIT_MS)).to.be.below(LIMIT_MS);
  });
});
