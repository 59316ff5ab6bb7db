/**
 * `paymount/testing`: what a host's own tests and demos need around Paymount.
 * It starts servers and fakes; nothing here runs in production, and nothing else imports it.
 * Start with `startPostgres`.
 */
export {
  type ConformanceCase,
  checkProcessor,
  type ProcessorCase,
  type ProcessorFactory,
  type ProcessorFixtures,
  type ProcessorReport,
  processorCases,
} from '@paymount/core/conformance';
export { describeProcessor, type TestRunner } from './testing/describe-processor.ts';
export {
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from './testing/postgres-server.ts';
