// @paymount/storage-postgres/pglite: a pool of `pg` clients for PGlite, a PostgreSQL in this
// process. For tests only; production code does not load it. It does not load PGlite itself: the
// caller passes an instance.
export { openPglite, type PgliteServer } from './open-pglite.ts';
