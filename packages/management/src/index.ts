// The API of admins: accounts, keys, endpoints, deliveries, leaks, audit, health.
// Every route declares the permission it needs, and every change leaves an audit row that commits
// with it. It knows no SQL; who an admin is, an authenticator of the host's says.
// Start at `routes.ts`, then `authenticators/`.
export {};
