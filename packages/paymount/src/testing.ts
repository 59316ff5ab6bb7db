/**
 * `paymount/testing`: what a host's own tests and demos need around Paymount.
 * It starts servers and fakes; nothing here runs in production, and nothing else imports it.
 * Start with `startPostgres`.
 */
export {
  type ConformanceCase,
  type ProcessorFactory,
  type ProcessorFixtures,
  processorCases,
} from '@paymount/core/conformance';
export { describeProcessor, type TestRunner } from './testing/describe-processor.ts';
export {
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from './testing/postgres-server.ts';
