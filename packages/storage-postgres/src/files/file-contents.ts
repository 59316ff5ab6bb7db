import type { AccountId, FileId } from '@paymount/core/kernel';
import { environmentOf, livemode } from '@paymount/core/kernel';
import type { FileKey, FileStore, FileUpload, FileUploadQueue } from '@paymount/core/payments';
import type { Stores } from '@paymount/core/store';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

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
  'pm_file_uploads_before_v2',
  (s) => `SELECT account_id, livemode, id, created FROM ${s}.file_uploads
    WHERE created < $1 AND (created, id) > ($3::timestamptz, $4::text)
    ORDER BY created, id LIMIT $2`,
);
const abandonUnused = statement(
  'pm_files_abandon_v1',
  (s) => `WITH abandoned AS (DELETE FROM ${s}.files f
      USING (SELECT account_id, livemode, id FROM ${s}.files WHERE NOT used AND created < $1
        ORDER BY created LIMIT $2 FOR UPDATE SKIP LOCKED) u
      WHERE (f.account_id, f.livemode, f.id) = (u.account_id, u.livemode, u.id)
      RETURNING f.account_id, f.livemode, f.id, f.created)
    INSERT INTO ${s}.file_uploads (account_id, livemode, id, created)
    SELECT account_id, livemode, id, created FROM abandoned ON CONFLICT DO NOTHING RETURNING id`,
);

interface UploadRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly id: FileId;
  readonly created: Date;
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
    async findBefore(time, limit, after) {
      const values = [time, limit, after?.created ?? '-infinity', after?.id ?? ''];
      return (await session.query<UploadRow>(findBefore, values)).rows.map(toUpload);
    },
    async abandonUnused(time, limit) {
      return (await session.query(abandonUnused, [time, limit])).rows.length;
    },
  };
}

function toUpload({ account_id: accountId, livemode: isLive, id, created }: UploadRow): FileUpload {
  return { accountId, environment: environmentOf(isLive), id, created };
}

function toValues({ accountId, environment, id }: FileKey): unknown[] {
  return [accountId, livemode(environment), id];
}
