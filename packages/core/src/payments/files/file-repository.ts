import type { Owner } from '../../kernel/basics/environment.ts';
import type { FileId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { FilePurpose, StoredFile } from './file.ts';

export interface FileFilter {
  readonly purpose?: FilePurpose;
  readonly created?: CreatedFilter;
}

export interface UnusedFiles {
  readonly count: number;
  readonly bytes: number;
}

/** Reads what is known of files; their content is in a `FileStore`. */
export interface FileReader {
  find(owner: Owner, id: FileId): Promise<StoredFile | undefined>;
  /** The files of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly FileId[]): Promise<readonly StoredFile[]>;
  /** The files that no evidence has named, and their sizes in bytes; it reads at most `limit` files. */
  sumUnused(owner: Owner, limit: number): Promise<UnusedFiles>;
  /** @throws `invalid_cursor` when a cursor is not the id of a file of this owner */
  list(owner: Owner, filter: FileFilter, page: PageRequest): Promise<Page<StoredFile>>;
}

/** A content that was announced, and perhaps stored, before the row of its file. */
export interface AnnouncedFile extends Owner {
  readonly id: FileId;
}

/** An upload in progress, or an abandoned one. */
export interface FileUpload extends AnnouncedFile {
  readonly created: Date;
}

/** Uploads in progress, so that a content without a file is found and deleted. */
export interface FileUploadQueue {
  /** Announces a content before it is stored. */
  begin(file: AnnouncedFile, at: Date): Promise<void>;
  /** Removes the announcement: the file's row is committed, or the content is deleted. */
  end(file: AnnouncedFile): Promise<void>;
  /**
   * Up to `limit` uploads announced before a time, oldest first. Two callers may get the same one;
   * deleting a content is safe to call twice.
   * @param after the last one of the previous page
   */
  findBefore(time: Date, limit: number, after?: FileUpload): Promise<readonly FileUpload[]>;
  /**
   * Makes abandoned uploads of up to `limit` files that were created before a time and that no
   * evidence has named: their rows are deleted, and their contents announced, in one statement. Of
   * two callers one gets each file; a file that evidence names meanwhile is left alone.
   * @returns how many
   */
  abandonUnused(time: Date, limit: number): Promise<number>;
}
