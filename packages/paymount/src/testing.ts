/**
 * `paymount/testing`: what a host's own tests and demos need around Paymount.
 * It starts servers and fakes; nothing here runs in production, and nothing else imports it.
 * Start with `startPostgres`.
 */
export {
  type ConformanceCase,
  checkProcessor,
  type NoticeSubject,
  type ProcessorCase,
  type ProcessorFactory,
  type ProcessorFixtures,
  type ProcessorReport,
  processorCases,
  type SentNotices,
  type StorageCase,
  type StorageSuite,
  storageCases,
} from '@paymount/core/conformance';
export { describeProcessor } from './testing/describe-processor.ts';
export { describeStorage } from './testing/describe-storage.ts';
export { type PgliteStorage, pgliteStorage } from './testing/pglite-storage.ts';
export {
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from './testing/postgres-server.ts';
export type { TestRunner } from './testing/test-runner.ts';
