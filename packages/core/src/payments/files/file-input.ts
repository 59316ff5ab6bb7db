import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { FILE_PURPOSES } from './file.ts';
import { Upload } from './upload.ts';

const UploadInput = withErrorHint(
  z
    .custom<Upload>((value) => value instanceof Upload)
    .meta({
      description: 'A PDF, PNG or JPEG of at most 5 MB (5,242,880 bytes).',
      override: { type: 'string', format: 'binary' },
    }),
  'a file: a part of multipart/form-data with a filename',
);

/** What `POST /v1/files` takes, as `multipart/form-data`. */
export const FileCreateInput = z
  .strictObject({ purpose: z.enum(FILE_PURPOSES), file: UploadInput })
  .meta({ id: 'FileCreate' });

export type FileCreate = z.output<typeof FileCreateInput>;
