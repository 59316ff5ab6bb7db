import { AccessChangedError, ClaimedError } from '../../changes/change.ts';
import { commit } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { withTimeout } from '../../kernel/basics/with-timeout.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { errorFacts } from '../../kernel/errors/error-codes.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { findOrThrow, idsAmong } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { toOneLine } from '../../kernel/input/one-line.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import {
  fileTypeOf,
  isClaimTrue,
  MAX_FILE_BYTES,
  MAX_UNUSED_BYTES,
  MAX_UNUSED_FILES,
  type StoredFile,
} from './file.ts';
import type { FileCreate } from './file-input.ts';
import type { FileFilter, FileUploadQueue } from './file-repository.ts';
import { toFileResource } from './file-resource.ts';
import type { FileChange, FileStorage } from './file-storage.ts';
import type { FileStore } from './file-store.ts';
import type { Upload } from './upload.ts';

const NAME = { noun: 'file', prefix: 'file' } as const;
const PARAM = { param: 'file' } as const;

/** The time that a store has to take a content. */
const PUT_LIMIT_MS = 30_000;

export interface FilePorts {
  readonly storage: FileStorage;
  readonly files: { readonly store: FileStore; readonly uploads: FileUploadQueue };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Uploaded files: evidence for disputes. */
export class FileService {
  readonly #ports: FilePorts;

  constructor(ports: FilePorts) {
    this.#ports = ports;
  }

  /**
   * Stores the content, then commits the file. A content whose file was refused is deleted here; a
   * worker deletes it if this process ends, or if the outcome of the commit is not known.
   * @throws PaymountError `parameter_invalid` for an empty file, another type than PDF, PNG and
   *   JPEG, or a content type that the content contradicts; `body_too_large`; `file_limit_reached`
   */
  async create(call: Call, input: FileCreate): Promise<StoredFile> {
    const type = requireType(input.file);
    const file: StoredFile = {
      ...ownerOf(call),
      id: newId('file'),
      version: 1,
      purpose: input.purpose,
      filename: toOneLine(input.file.filename) || 'file',
      type,
      size: input.file.size,
      digest: input.file.digest,
      isUsed: false,
      created: this.#ports.clock.now(),
      createdBy: makerOf(call),
    };
    await this.#assertRoom(file);
    await this.#ports.files.uploads.begin(file, file.created);
    await this.#put(file, input.file.read());
    try {
      await this.#commit(call, file);
    } catch (error) {
      // Of any other error the outcome is not known: the server may still be committing the file.
      if (provesRollback(error)) await this.#discard(file);
      throw error;
    }
    await this.#end(file);
    return file;
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<StoredFile> {
    const { files } = this.#ports.storage.read;
    return findOrThrow(NAME, id, (fileId) => files.find(ownerOf(call), fileId));
  }

  /** The files of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly StoredFile[]> {
    return this.#ports.storage.read.files.findMany(ownerOf(call), idsAmong('file', ids));
  }

  /** Newest first. @throws PaymountError `invalid_cursor` */
  async list(call: Call, filter: FileFilter, page: PageRequest): Promise<Page<StoredFile>> {
    return this.#ports.storage.read.files.list(ownerOf(call), filter, page);
  }

  /** Several uploads at once may exceed the limits, each by its own file. */
  async #assertRoom(file: StoredFile): Promise<void> {
    const { files } = this.#ports.storage.read;
    const { count, bytes } = await files.sumUnused(file, MAX_UNUSED_FILES);
    if (count >= MAX_UNUSED_FILES) {
      const message = `The account has ${count} files that no evidence names, which is the most that it may have.`;
      throw new PaymountError('file_limit_reached', message, PARAM);
    }
    if (bytes + file.size <= MAX_UNUSED_BYTES) return;
    const message = `The account has ${bytes} bytes of files that no evidence names; with this file they would be more than ${MAX_UNUSED_BYTES}.`;
    throw new PaymountError('file_limit_reached', message, PARAM);
  }

  /** A content that arrives after the limit has no file; the worker deletes it. */
  async #put(file: StoredFile, content: Uint8Array): Promise<void> {
    try {
      await withTimeout(this.#ports.files.store.put(file, content), PUT_LIMIT_MS);
    } catch (cause) {
      throw new PaymountError('unavailable', 'The file could not be stored.', { cause });
    }
  }

  #commit(call: Call, row: StoredFile): Promise<StoredFile> {
    const change: FileChange = {
      ...ownerOf(call),
      at: row.created,
      writes: [{ kind: 'file', mode: 'insert', row }],
      ...resourceFields(call, toFileResource(row)),
    };
    return commit(this.#ports.storage.changes, async () => ({ change, result: row }));
  }

  /** A failure here is left to the worker: the caller gets the error that came first. */
  async #discard(file: StoredFile): Promise<void> {
    try {
      await discardUnlessCommitted(this.#ports, file);
    } catch (error) {
      this.#ports.logger.warn(
        { file: file.id, err: isError(error) ? error : undefined },
        'The content of a refused file could not be deleted; a worker deletes it within two days.',
      );
    }
  }

  async #end(file: StoredFile): Promise<void> {
    await this.#ports.files.uploads.end(file).catch((error: unknown) => {
      this.#ports.logger.debug(
        { file: file.id, err: isError(error) ? error : undefined },
        'The announcement of an upload stays until a worker removes it.',
      );
    });
  }
}

/**
 * Deletes the content of an upload whose file does not exist, and its announcement. The answer of a
 * commit may have been lost, so the row decides.
 */
export async function discardUnlessCommitted(
  { storage, files }: Pick<FilePorts, 'storage' | 'files'>,
  file: Pick<StoredFile, 'accountId' | 'environment' | 'id'>,
): Promise<void> {
  const committed = await storage.read.files.find(file, file.id);
  if (committed === undefined) await files.store.delete(file);
  await files.uploads.end(file);
}

/** Whether a commit was refused, so that the file certainly does not exist. */
function provesRollback(error: unknown): boolean {
  if (PaymountError.is(error)) return errorFacts(error.code).status < 500;
  return ClaimedError.is(error) || AccessChangedError.is(error);
}

function requireType(upload: Upload): StoredFile['type'] {
  if (upload.size === 0) throw new PaymountError('parameter_invalid', 'file is empty.', PARAM);
  if (upload.size > MAX_FILE_BYTES) {
    const message = `file has ${upload.size} bytes; at most 5 MB (${MAX_FILE_BYTES} bytes) are accepted.`;
    throw new PaymountError('body_too_large', message, PARAM);
  }
  const type = fileTypeOf(upload.read());
  if (type === undefined) {
    const message = 'file is neither a PDF, nor a PNG, nor a JPEG, by its first bytes.';
    throw new PaymountError('parameter_invalid', message, PARAM);
  }
  if (!isClaimTrue(upload.contentType, type)) {
    const message = `The content of file is a ${type}, but its part has another Content-Type; send the true one, or none.`;
    throw new PaymountError('parameter_invalid', message, PARAM);
  }
  return type;
}
