// @paymount/core/conformance: the suites that every adapter of a port passes, ours and others'.
// Cases are plain objects on node:assert, for any test runner; nothing here runs in production.
// Start with processor.ts and storage.ts.
export type { ConformanceCase } from './conformance-case.ts';
export { type ProcessorCase, processorCases } from './processor.ts';
export type { ProcessorFactory, ProcessorFixtures } from './processor-fixtures.ts';
export { checkProcessor, ProcessorRecord, type ProcessorReport } from './processor-report.ts';
export { type StorageCase, type StorageSuite, storageCases } from './storage.ts';
