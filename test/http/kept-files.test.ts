import { expect } from 'chai';
import { startApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { startDisputeSetup } from '../support/dispute-setup.ts';
import { countRows } from '../support/row-count.ts';
import { PDF, PURPOSE, postParts, uploadFile } from '../support/upload-file.ts';

const DAY_MS = 86_400_000;
const MB = 1_048_576;
const file = (content: Buffer) => ({
  name: 'file',
  filename: 'receipt.pdf',
  type: 'application/pdf',
  content,
});

describe('how long files are kept', () => {
  it('deletes what no evidence has named for 60 days, and keeps the rest', async () => {
    const setup = await startDisputeSetup();
    try {
      const { dispute } = await setup.chargeback({ dueBy: '2099-01-01T00:00:00.000Z' });
      const url = `${setup.url}/v1/files`;
      const used = await uploadFile(url, setup.secretKey);
      const saved = await uploadFile(url, setup.secretKey);
      const unused = await uploadFile(url, setup.secretKey);
      await setup
        .post(`/v1/disputes/${dispute}`, { evidence: { receipt: saved }, submit: false })
        .expect(200);
      await setup.post(`/v1/disputes/${dispute}`, { evidence: { receipt: used } }).expect(200);
      const statuses = async () => {
        const ids = [used, saved, unused];
        return Promise.all(ids.map(async (id) => (await setup.get(`/v1/files/${id}`)).status));
      };
      await setup.pass(60 * DAY_MS - 3_600_000);
      expect(await statuses()).to.deep.equal([200, 200, 200]);
      await setup.pass(2 * 3_600_000);
      expect(await statuses()).to.deep.equal([200, 200, 404]);
      const kept = await query(setup.databaseUrl, 'SELECT id FROM paymount.file_contents');
      expect(kept.map((row) => row['id']).toSorted()).to.deep.equal([used, saved].toSorted());
      const { chargeback } = setup;
      const { dispute: other } = await chargeback();
      const late = await setup.post(`/v1/disputes/${other}`, { evidence: { receipt: unused } });
      expect([late.status, late.body.error.code]).to.deep.equal([400, 'resource_missing']);
    } finally {
      await setup.close();
    }
  });

  it('takes at most 100 MB that no evidence names', async () => {
    const app = await startApp();
    try {
      const url = `${app.url}/v1/files`;
      await uploadFile(url, app.secretKey);
      await query(app.databaseUrl, `UPDATE paymount.files SET size = ${100 * MB - PDF.length}`);
      const last = await uploadFile(url, app.secretKey);
      const refused = await postParts(url, [PURPOSE, file(PDF)], { key: app.secretKey });
      expect([refused.status, refused.error['code'], refused.error['param']]).to.deep.equal([
        400,
        'file_limit_reached',
        'file',
      ]);
      expect((await countRows(app.databaseUrl))['file_contents']).to.equal(2);
      await query(app.databaseUrl, `UPDATE paymount.files SET used = true WHERE id = '${last}'`);
      await uploadFile(url, app.secretKey);
    } finally {
      await app.close();
    }
  });

  it('takes at most 1,000 files that no evidence names, however small', async () => {
    const app = await startApp();
    try {
      const url = `${app.url}/v1/files`;
      const last = await uploadFile(url, app.secretKey);
      const more = (live: boolean, count: number) =>
        query(
          app.databaseUrl,
          `INSERT INTO paymount.files (account_id, livemode, id, version, purpose, filename, type,
              size, digest, used, created)
            SELECT account_id, ${live}, 'file_' || lpad(n::text, 26, '0'), 1, purpose, filename,
              'jpg', 3, digest, false, created
            FROM paymount.files, generate_series(1, ${count}) n WHERE id = '${last}'`,
        );
      await more(true, 1_000);
      await more(false, 998);
      const thousandth = await uploadFile(url, app.secretKey);
      const refused = await postParts(url, [PURPOSE, file(PDF)], { key: app.secretKey });
      expect([refused.status, refused.error['code'], refused.error['param']]).to.deep.equal([
        400,
        'file_limit_reached',
        'file',
      ]);
      expect(refused.error['message']).to.equal(
        'The account has 1000 files that no evidence names, which is the most that it may have.',
      );
      expect((await countRows(app.databaseUrl))['file_contents']).to.equal(2);
      await query(
        app.databaseUrl,
        `UPDATE paymount.files SET used = true WHERE id = '${thousandth}'`,
      );
      await uploadFile(url, app.secretKey);
    } finally {
      await app.close();
    }
  });

  it('keeps a content while the outcome of its commit is not known', async () => {
    const clock = fakeClock();
    const app = await startApp({ paymount: { clock } });
    try {
      await query(
        app.databaseUrl,
        `CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'`,
      );
      await query(
        app.databaseUrl,
        'CREATE TRIGGER cut BEFORE INSERT ON paymount.files FOR EACH ROW EXECUTE FUNCTION cut()',
      );
      const stored = async () => {
        const {
          files,
          file_contents: contents,
          file_uploads: uploads,
        } = await countRows(app.databaseUrl);
        return [files, contents, uploads];
      };
      const answer = await postParts(`${app.url}/v1/files`, [PURPOSE, file(PDF)], {
        key: app.secretKey,
      });
      expect(answer.status).to.equal(503);
      expect(await stored()).to.deep.equal([0, 1, 1]);
      clock.advance(DAY_MS + 1);
      await app.worker.drain();
      expect(await stored()).to.deep.equal([0, 0, 0]);
    } finally {
      await app.close();
    }
  });

  it('deletes abandoned contents behind 100 that the store refuses to delete', async () => {
    const clock = fakeClock();
    const deleted: string[] = [];
    const fileStore = {
      put: async () => undefined,
      get: async () => undefined,
      delete: async ({ id }: { id: string }) => {
        if (!id.endsWith('z')) throw new Error('The bucket refuses.');
        deleted.push(id);
      },
    };
    const app = await startApp({ paymount: { clock, fileStore } });
    try {
      await query(
        app.databaseUrl,
        `INSERT INTO paymount.file_uploads (account_id, livemode, id, created)
          SELECT '${app.acting.account}', false,
            'file_' || CASE n WHEN 120 THEN repeat('0', 25) || 'z' ELSE lpad(n::text, 26, '0') END,
            '${clock.now().toISOString()}'::timestamptz + n * interval '1 ms'
          FROM generate_series(1, 120) n`,
      );
      clock.advance(2 * DAY_MS);
      await app.worker.drain();
      expect(deleted).to.deep.equal([`file_${'0'.repeat(25)}z`]);
    } finally {
      await app.close();
    }
  });
});
