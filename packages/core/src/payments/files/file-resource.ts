import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import { toOneLine } from '../../kernel/input/one-line.ts';
import { FILE_PURPOSES, FILE_TYPES, type StoredFile } from './file.ts';

export const FileResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('file'),
    livemode: z.boolean(),
    created: TimestampResource,
    expires_at: z.null(),
    filename: z.string(),
    purpose: z.enum(FILE_PURPOSES),
    size: z.int().meta({ description: 'Bytes.' }),
    title: z.null(),
    type: z.enum(FILE_TYPES).meta({ description: 'Decided by the content.' }),
    url: z.null().meta({ description: 'The content is not served; processors get it.' }),
  })
  .meta({ id: 'File' });

export type FileJson = z.output<typeof FileResource>;

/** Renders a file, without its content. */
export function toFileResource(file: StoredFile): FileJson {
  return {
    id: file.id,
    object: 'file',
    livemode: livemode(file.environment),
    created: file.created.toISOString(),
    expires_at: null,
    filename: toOneLine(file.filename) || 'file',
    purpose: file.purpose,
    size: file.size,
    title: null,
    type: file.type,
    url: null,
  };
}
