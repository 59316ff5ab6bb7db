import { type FileHandle, open } from 'node:fs/promises';
import { type CliContext, EXIT, usage } from '@paymount/cli';
import type { Environment } from '@paymount/core/kernel';
import { withPaymount } from '../with-paymount.ts';

/** `paymount notices ingest`: the same as `paymount.ingest()` in a job of the host. */
export async function ingestNoticesCommand(
  context: CliContext,
  path: string,
  { environment }: { readonly environment: Environment },
): Promise<number> {
  const file = await openFile(path);
  try {
    const { notices, recorded } = await withPaymount(context, async ({ noticeInbox }) => {
      const read = await noticeInbox.record(environment, { file: file.createReadStream() });
      await noticeInbox.applyAll(read.recorded);
      return { notices: read.notices, recorded: read.recorded.length };
    });
    const line = `The file has ${notices} notices; ${recorded} of them were new.`;
    context.report({ notices, recorded }, [line]);
    return EXIT.done;
  } finally {
    await file.close();
  }
}

/** Before anything else, so that a mistyped path is no error of the adapter. @throws CommandFailure */
async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (cause) {
    throw usage('The file of notices cannot be read.', { cause });
  }
  throw usage('The file of notices is not a file.');
}
