import { expect } from 'chai';
import express from 'express';
import Stripe from 'stripe';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { askEndlessly } from '../support/endless-body.ts';
import { countRows } from '../support/row-count.ts';
import {
  BOUNDARY,
  formData,
  type Part,
  PDF,
  PURPOSE,
  postParts,
  uploadFile,
} from '../support/upload-file.ts';

const CLOCK = '2026-11-21T12:00:00.000Z';
const DAY_MS = 86_400_000;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex');
const FIVE_MB = 5_242_880;

const file = (content: string | Buffer, more: Partial<Part> = {}): Part => ({
  name: 'file',
  filename: 'receipt.pdf',
  type: 'application/pdf',
  content,
  ...more,
});

/** A PDF of exactly so many bytes. */
const pdfOf = (bytes: number): Buffer => Buffer.concat([PDF, Buffer.alloc(bytes - PDF.length, 32)]);

describe('/v1/files', () => {
  let app: TestApp;
  const clock = fakeClock(CLOCK);
  before(async () => {
    app = await startApp({ paymount: { clock } });
  });
  after(() => app.close());

  const url = (path = '') => `${app.url}/v1/files${path}`;
  const post = (parts: readonly Part[], headers: Record<string, string> = {}) =>
    postParts(url(), parts, { key: app.secretKey, headers });
  const stored = async (): Promise<readonly number[]> => {
    const counts = await countRows(app.databaseUrl);
    return ['files', 'file_contents', 'file_uploads'].map((table) => counts[table] ?? -1);
  };
  const refusal = ({ status, error }: Reply) => [status, error['code'], error['param']];

  it('stores a file of each type, which its content decides', async () => {
    const [before = 0] = await stored();
    const made = await post([PURPOSE, file(PDF)]);
    expect(made.status, made.text).to.equal(200);
    const { id, ...rest } = made.json;
    expect(id).to.match(/^file_[0-9a-z]{26}$/);
    expect(rest).to.deep.equal({
      object: 'file',
      livemode: false,
      created: CLOCK,
      expires_at: null,
      filename: 'receipt.pdf',
      purpose: 'dispute_evidence',
      size: PDF.length,
      title: null,
      type: 'pdf',
      url: null,
    });
    const png = await post([file(PNG, { filename: 'a.png', type: 'image/png' }), PURPOSE]);
    expect(png.json).to.include({ type: 'png', filename: 'a.png', size: PNG.length });
    const jpeg = { filename: 'a', type: 'application/octet-stream' };
    expect((await post([PURPOSE, file(JPEG, jpeg)])).json).to.include({ type: 'jpg' });
    expect(await stored()).to.deep.equal([before + 3, before + 3, 0]);
  });

  it('retrieves and lists files, newest first', async () => {
    const ids = [];
    for (let count = 0; count < 3; count += 1) {
      clock.advance(1_000);
      ids.unshift(await uploadFile(url(), app.secretKey, `${count}.pdf`));
    }
    const get = (path: string) => ask(url(path), { key: app.secretKey });
    expect((await get(`/${ids[0]}`)).json).to.include({ id: ids[0], filename: '2.pdf' });
    const page = await get('?limit=2&purpose=dispute_evidence');
    const { data, has_more: more } = page.json as { data: { id: string }[]; has_more: boolean };
    expect([data.map(({ id }) => id), more]).to.deep.equal([ids.slice(0, 2), true]);
    const since = await get('?created[gte]=2026-11-21T12:00:02Z');
    expect((since.json['data'] as object[]).length).to.equal(2);
    const other = await get('?purpose=identity_document');
    expect(refusal(other)).to.deep.equal([400, 'parameter_invalid', 'purpose']);
    expect((await get('/file_00000000000000000000000000')).status).to.equal(404);
  });

  it('takes exactly 5 MB, and refuses one byte more', async () => {
    const whole = await post([PURPOSE, file(pdfOf(FIVE_MB))]);
    expect(whole.json, whole.text).to.include({ size: FIVE_MB });
    const before = await stored();
    const more = await post([PURPOSE, file(pdfOf(FIVE_MB + 1))]);
    expect(refusal(more)).to.deep.equal([413, 'body_too_large', 'file']);
    const far = await post([PURPOSE, file(pdfOf(FIVE_MB + 200_000))]);
    expect(refusal(far)).to.deep.equal([413, 'body_too_large', undefined]);
    expect(await stored()).to.deep.equal(before);
  });

  const zip = Buffer.from('504b0304140000000800', 'hex');
  const HOSTILE: readonly (readonly [string, readonly Part[], number, string, string?])[] = [
    ['a zip', [PURPOSE, file(zip)], 400, 'parameter_invalid', 'file'],
    ['a web page', [PURPOSE, file('<html><script>')], 400, 'parameter_invalid', 'file'],
    ['nothing', [PURPOSE, file('')], 400, 'parameter_invalid', 'file'],
    ['a PNG as PDF', [PURPOSE, file(PNG)], 400, 'parameter_invalid', 'file'],
    [
      'a PDF as web page',
      [PURPOSE, file(PDF, { type: 'text/html' })],
      400,
      'parameter_invalid',
      'file',
    ],
    ['no file', [PURPOSE], 400, 'parameter_missing', 'file'],
    ['a text as file', [PURPOSE, { name: 'file', content: 'x' }], 400, 'parameter_invalid', 'file'],
    ['two files', [PURPOSE, file(PDF), file(PDF)], 400, 'parameter_duplicate', 'file'],
    ['a file of another name', [PURPOSE, file(PDF, { name: 'a' })], 400, 'parameter_unknown', 'a'],
    ['no purpose', [file(PDF)], 400, 'parameter_missing', 'purpose'],
    ['two purposes', [PURPOSE, PURPOSE, file(PDF)], 400, 'parameter_duplicate', 'purpose'],
    [
      'another purpose',
      [{ name: 'purpose', content: 'logo' }, file(PDF)],
      400,
      'parameter_invalid',
      'purpose',
    ],
    [
      'a parameter that is not known',
      [PURPOSE, { name: 'x', content: '1' }, file(PDF)],
      400,
      'parameter_unknown',
      'x',
    ],
    [
      'a long text',
      [{ name: 'purpose', content: 'x'.repeat(4_096) }, file(PDF)],
      400,
      'parameter_invalid',
      'purpose',
    ],
    [
      'a nested form',
      [PURPOSE, file(PDF, { type: 'multipart/mixed; boundary=b' })],
      400,
      'parameter_invalid',
      'file',
    ],
    [
      'base64',
      [PURPOSE, file(PDF, { headers: ['Content-Transfer-Encoding: base64'] })],
      400,
      'parameter_invalid',
      'file',
    ],
    [
      'a filename of 300 letters',
      [PURPOSE, file(PDF, { filename: 'x'.repeat(300) })],
      400,
      'parameter_invalid',
      'file',
    ],
    [
      '30 parts',
      Array.from({ length: 30 }, (_, at) => ({ name: `n${at}`, content: '' })),
      400,
      'parameter_invalid',
    ],
    [
      'a prototype',
      [PURPOSE, { name: '__proto__[x]', content: '1' }, file(PDF)],
      400,
      'parameter_unknown',
      '__proto__',
    ],
  ];
  for (const [what, parts, status, code, param] of HOSTILE) {
    it(`refuses ${what}, and keeps nothing`, async () => {
      const before = await stored();
      expect(refusal(await post(parts))).to.deep.equal([status, code, param]);
      expect(await stored()).to.deep.equal(before);
    });
  }

  it('refuses forms whose frame is wrong, and keeps nothing', async () => {
    const before = await stored();
    const send = (type: string, body: Buffer, more: Record<string, string> = {}) =>
      ask(url(), {
        key: app.secretKey,
        method: 'POST',
        body,
        headers: { 'content-type': type, ...more },
      });
    const whole = formData([PURPOSE, file(PDF)]);
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const answers = [
      await send('multipart/form-data', whole),
      await send('multipart/form-data; boundary=', whole),
      await send('multipart/form-data; boundary=other', whole),
      await send(type, whole.subarray(0, whole.length - 20)),
      await send(`${type}; charset=utf-16`, whole),
      await send(type, whole, { 'content-encoding': 'gzip' }),
      await send('multipart/mixed; boundary=a', whole),
      await send('application/json', Buffer.from('{"purpose":"dispute_evidence","file":"x"}')),
    ];
    expect(answers.map((answer) => refusal(answer).slice(0, 2))).to.deep.equal([
      [400, 'parameter_invalid'],
      [400, 'parameter_invalid'],
      [400, 'parameter_invalid'],
      [400, 'parameter_invalid'],
      [415, 'unsupported_content_type'],
      [415, 'unsupported_content_type'],
      [415, 'unsupported_content_type'],
      [400, 'parameter_invalid'],
    ]);
    expect(await stored()).to.deep.equal(before);
  });

  it('ends an endless body with 413, and keeps nothing', async () => {
    const before = await stored();
    // More than the limit, the frame, and what is read beyond both.
    const start = formData([PURPOSE, file(pdfOf(FIVE_MB + 655_360))], '');
    const reply = await askEndlessly(url(), start, {
      key: app.secretKey,
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    expect(refusal(reply)).to.deep.equal([413, 'body_too_large', undefined]);
    expect(await stored()).to.deep.equal(before);
  });

  it('keeps the name without folders, and in any language', async () => {
    const named = await post([PURPOSE, file(PDF, { filename: '../../etc/Quittung 領収書.pdf' })]);
    expect(named.json['filename']).to.equal('Quittung 領収書.pdf');
  });

  it('replays one key, and refuses it for another content', async () => {
    const headers = { 'idempotency-key': 'file-1' };
    const [before = 0] = await stored();
    const first = await post([PURPOSE, file(PDF)], headers);
    const again = await post([file(PDF), PURPOSE], headers);
    expect([again.json['id'], again.headers['idempotent-replayed']]).to.deep.equal([
      first.json['id'],
      'true',
    ]);
    const other = await post([PURPOSE, file(pdfOf(100))], headers);
    expect(refusal(other).slice(0, 2)).to.deep.equal([400, 'idempotency_key_mismatch']);
    expect(await stored()).to.deep.equal([before + 1, before + 1, 0]);
  });

  it('stores one file for many uploads at once with one key', async () => {
    const [before = 0] = await stored();
    const headers = { 'idempotency-key': 'file-2' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post([PURPOSE, file(PDF)], headers)),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ json }) => json['id'])).size).to.equal(1);
    const others = answers.filter(({ status }) => status !== 200).map(({ status }) => status);
    expect(others.every((status) => status === 409)).to.equal(true);
    expect(await stored()).to.deep.equal([before + 1, before + 1, 0]);
  });

  it('needs the scope disputes:write', async () => {
    const { secret } = await app.paymount.keys.create({
      account: app.account,
      livemode: false,
      type: 'restricted',
      name: 'reads',
      scopes: ['charges:read'],
    });
    const answer = await postParts(url(), [PURPOSE, file(PDF)], { key: secret });
    expect(refusal(answer).slice(0, 2)).to.deep.equal([403, 'insufficient_scope']);
  });

  it('serves the unmodified stripe SDK', async () => {
    const stripe = new Stripe(app.secretKey, {
      host: '127.0.0.1',
      port: app.port,
      protocol: 'http',
    });
    const made = await stripe.files.create({
      purpose: 'dispute_evidence',
      file: { data: PDF, name: 'sdk.pdf', type: 'application/pdf' },
    });
    expect(made).to.include({ object: 'file', filename: 'sdk.pdf', size: PDF.length, type: 'pdf' });
    expect(made.created).to.be.closeTo(clock.now().getTime() / 1_000, 1);
    expect((await stripe.files.retrieve(made.id)).filename).to.equal('sdk.pdf');
    const { data } = await stripe.files.list({ purpose: 'dispute_evidence', limit: 1 });
    expect(data.map(({ id }) => id)).to.deep.equal([made.id]);
  });
});

describe('files and the host', () => {
  it('takes uploads behind body parsers of the host', async () => {
    const app = await startApp({
      mount: (host, paymount) => {
        host.use(express.json(), express.urlencoded({ extended: true }));
        host.use('/raw', express.raw({ type: '*/*', limit: '6mb' }));
        host.use('/raw', paymount.router({ environment: 'test' }));
        host.use(paymount.router({ environment: 'test' }));
      },
    });
    try {
      await uploadFile(`${app.url}/v1/files`, app.secretKey);
      await uploadFile(`${app.url}/raw/v1/files`, app.secretKey);
    } finally {
      await app.close();
    }
  });

  it("keeps contents in the host's own store, and deletes those without a file after a day", async () => {
    const contents = new Map<string, Uint8Array>();
    let isDown = false;
    const clock = fakeClock(CLOCK);
    const fileStore = {
      put: async ({ id }: { id: string }, content: Uint8Array) => {
        contents.set(id, content);
        // It has stored the content, and its answer is lost.
        if (isDown) throw new Error('The bucket does not answer.');
      },
      get: async ({ id }: { id: string }) => contents.get(id),
      delete: async ({ id }: { id: string }) => {
        contents.delete(id);
      },
    };
    const app = await startApp({ paymount: { clock, fileStore } });
    try {
      const url = `${app.url}/v1/files`;
      const id = await uploadFile(url, app.secretKey);
      expect([...contents.keys()]).to.deep.equal([id]);
      expect(Buffer.from(contents.get(id) ?? [])).to.deep.equal(PDF);
      expect((await countRows(app.databaseUrl))['file_contents']).to.equal(0);
      isDown = true;
      const refused = await postParts(url, [PURPOSE, file(PDF)], { key: app.secretKey });
      expect([refused.status, refused.error['code']]).to.deep.equal([503, 'unavailable']);
      await app.worker.drain();
      expect(contents.size).to.equal(2);
      clock.advance(DAY_MS + 1);
      await app.worker.drain();
      expect([...contents.keys()]).to.deep.equal([id]);
      expect((await countRows(app.databaseUrl))['file_uploads']).to.equal(0);
      const form = await postForm(url, 'purpose=dispute_evidence', { key: app.secretKey });
      expect(form.error['param']).to.equal('file');
    } finally {
      await app.close();
    }
  });
});
