import type { Owner } from '../../kernel/basics/environment.ts';
import { type FileId, parseId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { FileReader } from '../files/file-repository.ts';
import type { EvidenceSent } from './dispute-input.ts';
import {
  type Evidence,
  evidenceLength,
  FILE_EVIDENCE,
  type FileEvidence,
  MAX_EVIDENCE_BYTES,
  MAX_EVIDENCE_LENGTH,
  TEXT_EVIDENCE,
  type TextEvidence,
} from './evidence.ts';

/**
 * The stored evidence with what was sent: fields that were left out stay, an empty text removes one.
 * @throws PaymountError `parameter_invalid` for more than 150,000 characters, `resource_missing` for
 *   what names no file of the account
 */
export async function mergeEvidence(
  files: Pick<FileReader, 'findMany'>,
  owner: Owner,
  stored: Evidence,
  sent: EvidenceSent,
): Promise<Evidence> {
  const texts: Partial<Record<TextEvidence, string>> = { ...stored.texts };
  for (const name of TEXT_EVIDENCE) {
    const text = sent[name];
    if (text === '') delete texts[name];
    else if (text !== undefined) texts[name] = text;
  }
  const named = await findFiles(files, owner, sent);
  const merged: Partial<Record<FileEvidence, FileId>> = { ...stored.files };
  for (const name of FILE_EVIDENCE) {
    const file = named.get(name);
    if (sent[name] === '') delete merged[name];
    else if (file !== undefined) merged[name] = file;
  }
  const evidence = { texts, files: merged };
  assertLength(evidence);
  return evidence;
}

/** The files that were named. One query. */
async function findFiles(
  files: Pick<FileReader, 'findMany'>,
  owner: Owner,
  sent: EvidenceSent,
): Promise<ReadonlyMap<FileEvidence, FileId>> {
  const named = new Map<FileEvidence, FileId>();
  for (const name of FILE_EVIDENCE) {
    const text = sent[name];
    if (text === undefined || text === '') continue;
    const id = parseId('file', text);
    if (id === undefined) throw missing('file', text, paramOf(name));
    named.set(name, id);
  }
  if (named.size === 0) return named;
  const found = await files.findMany(owner, [...new Set(named.values())]);
  for (const [name, id] of named) {
    const file = found.find((each) => each.id === id);
    if (file?.purpose !== 'dispute_evidence') throw missing('file', id, paramOf(name));
  }
  return named;
}

function assertLength(evidence: Evidence): void {
  const length = evidenceLength(evidence);
  if (length > MAX_EVIDENCE_LENGTH) {
    throw tooLong(`${length} characters; at most ${MAX_EVIDENCE_LENGTH} are accepted`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(evidence.texts));
  if (bytes > MAX_EVIDENCE_BYTES) {
    throw tooLong(`${bytes} bytes as JSON; at most ${MAX_EVIDENCE_BYTES} are accepted`);
  }
}

function tooLong(fault: string): PaymountError {
  return new PaymountError('parameter_invalid', `The texts of evidence together have ${fault}.`, {
    param: 'evidence',
  });
}

function paramOf(name: FileEvidence): string {
  return `evidence[${name}]`;
}
