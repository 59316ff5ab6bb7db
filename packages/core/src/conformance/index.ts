// @paymount/core/conformance: the suites that every adapter of a port must pass. Cases are plain
// objects that use node:assert, for any test runner. Nothing here runs in production. Start with
// processor.ts and storage.ts.
export type { ConformanceCase } from './conformance-case.ts';
export { type ProcessorCase, processorCases } from './processor.ts';
export type {
  NoticeSubject,
  ProcessorFactory,
  ProcessorFixtures,
  SentNotices,
} from './processor-fixtures.ts';
export { checkProcessor, ProcessorRecord, type ProcessorReport } from './processor-report.ts';
export { type StorageCase, type StorageSuite, storageCases } from './storage.ts';
