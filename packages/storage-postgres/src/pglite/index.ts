// @paymount/storage-postgres/pglite: a pool of `pg` clients before a PGlite, a PostgreSQL in this process.
// For tests; nothing in production loads it. It does not load PGlite: it is handed one.
export { openPglite, type PgliteServer } from './open-pglite.ts';
