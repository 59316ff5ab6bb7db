// @paymount/testing: the suites that every adapter of a processor or of storage must pass. Only
// authors of adapters install it; nothing here runs in production. Cases are plain objects that use
// node:assert, for any test runner. Start with `processor/cases.ts` and `storage/cases.ts`.
export { type ProcessorCase, processorCases } from './processor/cases.ts';
export { describeProcessor } from './processor/describe-processor.ts';
export type {
  NoticeSubject,
  ProcessorFactory,
  ProcessorFixtures,
  SentNotices,
} from './processor/fixtures.ts';
export { checkProcessor, type ProcessorReport } from './processor/report.ts';
export type { ConformanceCase } from './run/conformance-case.ts';
export type { TestRunner } from './run/test-runner.ts';
export { type StorageCase, type StorageSuite, storageCases } from './storage/cases.ts';
export { describeStorage } from './storage/describe-storage.ts';
