import { DispatchHub } from '@paymount/core/events';
import { releaseFunds } from '@paymount/core/ledger';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { systemClock } from './bench-clock.ts';
import { answerCommands } from './child.ts';

/** One worker's release of funds that are due, on a database that others release from as well. */
const postgres = createPostgresStorage({
  connection: process.env['BENCH_DATABASE_URL'] ?? '',
  dispatch: new DispatchHub(),
});

answerCommands(
  {
    /** Releases until nothing is due that nobody else holds. */
    async release() {
      while (await releaseFunds({ storage: postgres.storage, clock: systemClock }));
    },
  },
  () => postgres.close(),
);
