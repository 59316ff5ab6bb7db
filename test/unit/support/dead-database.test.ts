import { expect } from 'chai';
import { findDatabase } from '../../../example-host/src/demo/find-database.ts';
import { UndoStack } from '../../../example-host/src/demo/undo-stack.ts';
import { findPostgres } from '../../support/postgres.ts';

const messageOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'It was found.',
    (error: Error) => error.message,
  );

/** Nothing listens on this port: only a superuser could. */
const DEAD = 'postgres://ada:secret@127.0.0.1:1/shop';
const CURE =
  'The server of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1. ' +
  'Start it, or unset DATABASE_URL: then a server is started for this run.';

describe('a DATABASE_URL whose server is down', () => {
  it('is named by the tests and by the demo, with what to do, and without its password', async () => {
    expect(await messageOf(findPostgres(() => undefined, DEAD))).to.equal(CURE);
    expect(await messageOf(findDatabase(new UndoStack(), DEAD))).to.equal(CURE);
  });
});
