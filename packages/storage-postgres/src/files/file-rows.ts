import { livemode } from '@paymount/core/kernel';
import type { FileReader, StoredFile } from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { column, columnNames, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';

const fileFacts = facts<Omit<StoredFile, 'isUsed'>>({
  purpose: 'fixed text',
  filename: 'fixed text',
  type: 'fixed text',
  size: 'fixed integer',
  digest: 'fixed text',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
});

export const fileTable: Table<StoredFile> = {
  name: 'files',
  code: 'if',
  columns: [...fileFacts.columns, column('used', 'boolean', (file) => file.isUsed)],
};

interface FileRow extends StoredRow {
  readonly used: boolean;
}

const COLUMNS = columnNames(fileTable);
const findMany = statement(
  'pm_files_find_v2',
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.files
    WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])`,
);

const sumUnused = statement(
  'pm_files_unused_v2',
  (s) => `SELECT count(*)::integer AS count, COALESCE(sum(size), 0)::text AS bytes
    FROM (SELECT size FROM ${s}.files
      WHERE account_id = $1 AND livemode = $2 AND NOT used LIMIT $3) unused`,
);

/** What is known of files, on PostgreSQL. */
export function fileRows(session: Session): FileReader {
  const readMany: FileReader['findMany'] = async (owner, ids) => {
    const values = [owner.accountId, livemode(owner.environment), ids];
    return (await session.query<FileRow>(findMany, values)).rows.map(toFile);
  };
  return {
    findMany: readMany,
    async sumUnused(owner, limit) {
      const values = [owner.accountId, livemode(owner.environment), limit];
      const [row] = (await session.query<{ count: number; bytes: string }>(sumUnused, values)).rows;
      return { count: row?.count ?? 0, bytes: Number(row?.bytes ?? 0) };
    },
    find: async (owner, id) => (await readMany(owner, [id]))[0],
    async list(owner, filter, page) {
      const listed = {
        table: 'files',
        columns: COLUMNS,
        order: 'created',
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'purpose', filter.purpose);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toFile);
    },
  };
}

function toFile(row: FileRow): StoredFile {
  return fileFacts.read(row, { isUsed: row.used });
}
