import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { StoredFile } from './file.ts';
import type { FileReader } from './file-repository.ts';

export type FileWrite = Write<'file', StoredFile>;

/** The change that the service of files commits. */
export type FileChange = Change<FileWrite>;

/** What the service of files needs of storage. */
export type FileStorage = AreaStorage<
  { readonly files: FileReader },
  { readonly changes: ChangeRepository<FileChange> }
>;
