import { runInNewContext } from 'node:vm';
import { SchemaError } from '@paymount/core/kernel';
import { describeNoConnection } from '@paymount/storage-postgres';
import { expect } from 'chai';
import {
  isLockedOut,
  isSqlError,
} from '../../../../packages/storage-postgres/src/connection/sql-errors.ts';
import { installed } from '../../../../packages/webhooks/src/retries/installed.ts';

/** An error of another global scope, as Node's own are for a test under jest. */
function foreign(message: string, facts: object): Error {
  return Object.assign(runInNewContext('(message) => new Error(message)')(message), facts);
}

describe('errors of another global scope', () => {
  it('say why no connection came about', () => {
    const refused = foreign('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' });
    expect(refused).not.to.be.instanceOf(Error);
    expect(describeNoConnection(refused).message).to.equal(
      "Nothing listens at the host and port of the database's address (ECONNREFUSED). " +
        'Is the server running, and is its address right?',
    );
    expect(describeNoConnection(foreign('SSL required', {})).message).to.equal(
      'The server requires TLS, but this connection does not use it. Add `sslmode=verify-full` to the address.',
    );
  });

  it('are refusals of the server', () => {
    const locked = foreign('canceling statement', { code: '55P03', severity: 'ERROR' });
    expect(isSqlError(locked)).to.equal(true);
    expect(isLockedOut(foreign('It failed.', { cause: locked }))).to.equal(true);
  });

  it('say that a package is missing', async () => {
    const load = () => Promise.reject(foreign('none', { code: 'MODULE_NOT_FOUND' }));
    const error = await installed(load).catch((thrown: unknown) => thrown);
    expect(String(error)).to.equal(
      'Error: The option `redis` needs two packages that Paymount does not bring along. ' +
        'Run: npm install bullmq ioredis',
    );
  });

  it('are of the schema by their name', () => {
    expect(SchemaError.is(foreign('It is newer.', { name: 'SchemaError' }))).to.equal(true);
  });
});
