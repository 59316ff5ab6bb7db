// paymount/receiver: the package paymount-receiver, for hosts that install the server.
// It loads node's own modules only: no database, no Redis, no Express.
// Start with receiver() for a whole address, or verify() for one request.

// biome-ignore lint/performance/noReExportAll: a second list of the same names could only differ.
export * from 'paymount-receiver';
