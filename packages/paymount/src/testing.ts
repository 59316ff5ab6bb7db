/**
 * `paymount/testing`: what a host's own tests and demos need around Paymount.
 * It starts servers and fakes; nothing here runs in production, and nothing else imports it.
 * Start with `startPostgres`.
 */
export { type PgliteStorage, pgliteStorage } from './testing/pglite-storage.ts';
export {
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from './testing/postgres-server.ts';
