import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { UNUSED_FILE_DAYS } from './file.ts';
import type { FileUpload } from './file-repository.ts';
import { discardUnlessCommitted, type FilePorts } from './file-service.ts';

const PAGE = 100;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Far longer than any upload, so that none in progress is touched. */
const ABANDONED_AFTER_MS = DAY_MS;

type SweepPorts = Pick<FilePorts, 'storage' | 'files' | 'clock'> & {
  readonly logger: Logger;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
};

/**
 * Deletes files that no evidence has named for 60 days, and contents whose process ended before the
 * file was committed, a day after their upload began. A content that the store refuses to delete
 * does not delay others; it is tried again by the next pass.
 */
export async function deleteAbandonedUploads(ports: SweepPorts): Promise<void> {
  const { files, clock, isClosing } = ports;
  const now = clock.now().getTime();
  const unusedSince = new Date(now - UNUSED_FILE_DAYS * DAY_MS);
  while ((await files.uploads.abandonUnused(unusedSince, PAGE)) === PAGE) {
    if (isClosing()) return;
  }
  const before = new Date(now - ABANDONED_AFTER_MS);
  let page: readonly FileUpload[] = [];
  do {
    page = await files.uploads.findBefore(before, PAGE, page.at(-1));
    for (const upload of page) {
      if (isClosing()) return;
      await discardOrLog(ports, upload);
    }
  } while (page.length === PAGE);
}

async function discardOrLog(ports: SweepPorts, upload: FileUpload): Promise<void> {
  try {
    await discardUnlessCommitted(ports, upload);
  } catch (error) {
    ports.logger.error(
      { file: upload.id, err: isError(error) ? error : undefined },
      'The content of an abandoned upload could not be deleted; Paymount tries again.',
    );
  }
}
