import type { Owner } from '../../kernel/basics/environment.ts';
import type { FileId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';

export const FILE_PURPOSES = ['dispute_evidence'] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];

export const FILE_TYPES = ['pdf', 'png', 'jpg'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** What is known of an uploaded file. Its content is in a `FileStore`, and never changes. */
export interface StoredFile extends Owner {
  readonly id: FileId;
  readonly version: number;
  readonly purpose: FilePurpose;
  /** As the client named it, without folders. */
  readonly filename: string;
  /** Decided by the content. */
  readonly type: FileType;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, 64 lowercase hexadecimal digits. */
  readonly digest: string;
  /** Whether evidence has ever named it: then it is kept. */
  readonly isUsed: boolean;
  readonly created: Date;
  /** Who made it; absent if an earlier version wrote it, or nobody did. */
  readonly createdBy?: Maker;
}

/** The largest content, in bytes. */
export const MAX_FILE_BYTES = 5_242_880;
/** The files of an account that no evidence has named, in bytes: 100 MB. */
export const MAX_UNUSED_BYTES = 104_857_600;
/** The number of files of an account that no evidence has named. */
export const MAX_UNUSED_FILES = 1_000;
/** How long a file is kept that no evidence has named. */
export const UNUSED_FILE_DAYS = 60;

const SIGNATURES: Readonly<Record<FileType, readonly number[]>> = {
  pdf: [0x25, 0x50, 0x44, 0x46, 0x2d],
  png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  jpg: [0xff, 0xd8, 0xff],
};

/** The names of each type in `Content-Type`. */
const CONTENT_TYPES: Readonly<Record<FileType, readonly string[]>> = {
  pdf: ['application/pdf', 'application/x-pdf'],
  png: ['image/png'],
  jpg: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
};

/** Types that claim nothing: what clients send for a content that they do not know. */
const UNCLAIMED: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream'];

/** The type of a content, by its first bytes. @returns undefined for any other type */
export function fileTypeOf(content: Uint8Array): FileType | undefined {
  return FILE_TYPES.find((type) => SIGNATURES[type].every((byte, at) => content[at] === byte));
}

/** Whether a `Content-Type` is true of a type, or claims nothing. */
export function isClaimTrue(contentType: string, type: FileType): boolean {
  const claimed = contentType.toLowerCase();
  return UNCLAIMED.includes(claimed) || CONTENT_TYPES[type].includes(claimed);
}
