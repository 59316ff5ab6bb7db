import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { discardUnlessCommitted, type FilePorts } from './file-service.ts';

const PAGE = 100;
/** Far longer than any upload, so that none in progress is touched. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

type SweepPorts = Pick<FilePorts, 'storage' | 'files' | 'clock'> & {
  readonly logger: Logger;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
};

/**
 * Deletes contents whose process ended before the file was committed, a day after their upload
 * began. One that the store refuses to delete does not delay others; it is tried again.
 * @returns whether more may be left
 */
export async function deleteAbandonedUploads(ports: SweepPorts): Promise<boolean> {
  const { files, clock, logger, isClosing } = ports;
  const before = new Date(clock.now().getTime() - ABANDONED_AFTER_MS);
  const found = await files.uploads.findBefore(before, PAGE);
  let deleted = 0;
  for (const upload of found) {
    if (isClosing()) return false;
    try {
      await discardUnlessCommitted(ports, upload);
      deleted += 1;
    } catch (error) {
      logger.error(
        { file: upload.id, err: isError(error) ? error : undefined },
        'The content of an abandoned upload could not be deleted; Paymount tries again.',
      );
    }
  }
  return found.length === PAGE && deleted > 0;
}
