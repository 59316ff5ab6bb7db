import type { AccountId, FileId } from '@paymount/core/kernel';
import { environmentOf, livemode } from '@paymount/core/kernel';
import type { AnnouncedFile, FileKey, FileStore, FileUploadQueue } from '@paymount/core/payments';
import type { Stores } from '@paymount/core/store';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

const put = statement(
  'pm_file_contents_put_v1',
  (s) => `INSERT INTO ${s}.file_contents (account_id, livemode, id, content)
    VALUES ($1, $2, $3, $4::bytea) ON CONFLICT DO NOTHING`,
);
const get = statement(
  'pm_file_contents_get_v1',
  (s) => `SELECT content FROM ${s}.file_contents
    WHERE account_id = $1 AND livemode = $2 AND id = $3`,
);
const remove = statement(
  'pm_file_contents_delete_v1',
  (s) => `DELETE FROM ${s}.file_contents WHERE account_id = $1 AND livemode = $2 AND id = $3`,
);
const begin = statement(
  'pm_file_uploads_begin_v1',
  (s) => `INSERT INTO ${s}.file_uploads (account_id, livemode, id, created)
    VALUES ($1, $2, $3, $4)`,
);
const end = statement(
  'pm_file_uploads_end_v1',
  (s) => `DELETE FROM ${s}.file_uploads WHERE account_id = $1 AND livemode = $2 AND id = $3`,
);
const findBefore = statement(
  'pm_file_uploads_before_v1',
  (s) => `SELECT account_id, livemode, id FROM ${s}.file_uploads
    WHERE created < $1 ORDER BY created LIMIT $2`,
);

interface UploadRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly id: FileId;
}

/** The contents of files, and the uploads in progress, on PostgreSQL. */
export function fileStores(session: Session): Pick<Stores, 'fileContents' | 'fileUploads'> {
  return { fileContents: fileContents(session), fileUploads: fileUploads(session) };
}

function fileContents(session: Session): FileStore {
  return {
    async put(key, content) {
      // A view of the same bytes; pg sends other views byte by byte.
      const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
      await session.query(put, [...toValues(key), bytes]);
    },
    async get(key) {
      const { rows } = await session.query<{ content: Buffer }>(get, toValues(key));
      return rows[0]?.content;
    },
    async delete(key) {
      await session.query(remove, toValues(key));
    },
  };
}

function fileUploads(session: Session): FileUploadQueue {
  return {
    async begin(file, at) {
      await session.query(begin, [...toValues(file), at]);
    },
    async end(file) {
      await session.query(end, toValues(file));
    },
    async findBefore(time, limit) {
      const { rows } = await session.query<UploadRow>(findBefore, [time, limit]);
      return rows.map(toUpload);
    },
  };
}

function toUpload(row: UploadRow): AnnouncedFile {
  return { accountId: row.account_id, environment: environmentOf(row.livemode), id: row.id };
}

function toValues({ accountId, environment, id }: FileKey): unknown[] {
  return [accountId, livemode(environment), id];
}
