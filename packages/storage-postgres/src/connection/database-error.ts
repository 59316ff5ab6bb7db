import { isError, PaymountError } from '@paymount/core/kernel';
import { SESSION_HELD } from './sql-errors.ts';

/**
 * This process cannot work on the database; the message says why and what to do. It never contains
 * a part of the address, because a password may appear in an unexpected place of it.
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** The code of the driver or the server, for example an SQLSTATE or `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** The name of the option that contained the address. */
type AddressOption = 'database' | 'directUrl';

const PLACES: Readonly<Record<AddressOption, string>> = {
  database: 'the address in the option `database` (usually that of DATABASE_URL)',
  directUrl: 'the address in the option `directUrl`',
};
/** The placeholder for that name in a fix. */
const PLACE = '{place}';
const ADDRESS_FORM = 'postgres://user:password@host/database';
const NO_HOST = "The host that the database's address names is not found";
const NO_LOGIN = 'The database refuses the user or the password';
const NO_ANSWER = "The database's host does not answer";
const POOL_CURE =
  'If a pooler such as PgBouncer stands between, its pool may be exhausted: in session mode each ' +
  'process needs `poolSize` + 3 connections.';
const NO_TRUST = "The certificate of the database's server is not trusted";
const PATHS = 'its `sslrootcert`, `sslcert`, `sslkey`, or the folder that stands for the host';
const TRUST_CURE = 'Pass the authority that signed it: `sslrootcert=FILE` in the address.';

/** Why the connection failed, by the code of the driver, of Node or of the server. */
const REASONS: Readonly<Record<string, readonly [found: string, cure: string]>> = {
  ENOTFOUND: [NO_HOST, `Is the address of the form ${ADDRESS_FORM}?`],
  EAI_AGAIN: [NO_HOST, `Is the address of the form ${ADDRESS_FORM}?`],
  ECONNREFUSED: [
    "Nothing listens at the host and port of the database's address",
    'Is the server running, and is its address right?',
  ],
  ETIMEDOUT: [NO_ANSWER, 'Are its name and port right, and does a firewall let this machine in?'],
  EHOSTUNREACH: [NO_ANSWER, 'Are its name and port right, and is there a route to it?'],
  ENETUNREACH: [NO_ANSWER, 'Are its name and port right, and is there a route to it?'],
  ENOENT: [
    "A file or the socket's folder that the database's address names is not there",
    `Correct ${PLACE}: ${PATHS}.`,
  ],
  EACCES: [
    "This process may not read a file, or use the socket, that the database's address names",
    `Let its user in, or correct ${PLACE}: ${PATHS}.`,
  ],
  ERR_INVALID_URL: [
    "The database's address cannot be read",
    `Its form is ${ADDRESS_FORM}, with @, /, # and : of a password as %40, %2F, %23 and %3A.`,
  ],
  // PostgreSQL's own codes (Appendix A of its manual).
  '3D000': ['The server has no database of that name', `Create it, or correct ${PLACE}.`],
  '28P01': [NO_LOGIN, `Correct ${PLACE}.`],
  '28000': [NO_LOGIN, `Correct ${PLACE}.`],
  '42501': [
    'The database does not let this role connect',
    'As its owner, run: GRANT CONNECT ON DATABASE name TO role',
  ],
  '53300': [
    'The server has no connection left',
    'Raise its max_connections, or lower `poolSize` of these processes.',
  ],
  '57P03': ['The server is starting up or shutting down', 'Try again in a moment.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [NO_TRUST, TRUST_CURE],
  SELF_SIGNED_CERT_IN_CHAIN: [NO_TRUST, TRUST_CURE],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [NO_TRUST, TRUST_CURE],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [NO_TRUST, TRUST_CURE],
  CERT_HAS_EXPIRED: [NO_TRUST, 'It has expired: renew it on the server.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    NO_TRUST,
    'It is for another host: name the one that it is for in the address.',
  ],
};

/** Errors that only their text distinguishes; they are checked before the codes. */
const WORDS: readonly (readonly [words: RegExp, found: string, cure: string])[] = [
  [
    /no pg_hba\.conf entry.*(?:no encryption|SSL off)/,
    'The server refuses connections from this machine with this user to this database, without TLS',
    'Add `sslmode=verify-full` to the address, or an entry to its pg_hba.conf.',
  ],
  [
    /no pg_hba\.conf entry/,
    'The server refuses connections from this machine with this user to this database',
    `Correct ${PLACE}, or add an entry to the server's pg_hba.conf.`,
  ],
  [
    /SSL required/,
    'The server requires TLS, but this connection does not use it',
    'Add `sslmode=verify-full` to the address.',
  ],
  [
    /does not support SSL/,
    'The address requires TLS, but the server does not support it',
    'Switch TLS on at the server, or drop `sslmode` from the address.',
  ],
  [
    /client password must be a/,
    'The server requires a password, but the address does not contain one',
    `The form of an address is ${ADDRESS_FORM}.`,
  ],
  [
    /unsupported startup parameter/,
    'A pooler refuses how key look-ups connect',
    'Pass `directUrl` with an address that goes past the pooler, or `preparedStatements: false`.',
  ],
  [
    /timeout expired|timeout exceeded|connection timeout|No connection within/,
    NO_ANSWER,
    `Are its name and port right, and does a firewall let this machine in? ${POOL_CURE}`,
  ],
  [
    /Query read timeout/,
    'The database accepted the connection and then did not respond',
    POOL_CURE,
  ],
];
/** Each SQLSTATE contains a digit; EPERM and EPIPE do not. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/**
 * Says in one line why a connection failed, and what to do.
 * @param cause the driver's error, or an error with that as its cause
 * @param option the option that contained the address
 */
export function describeNoConnection(
  cause: unknown,
  option: AddressOption = 'database',
): DatabaseError {
  const error = PaymountError.is(cause) ? cause.cause : cause;
  const code = errorCode(error);
  const words = isError(error) ? error.message : '';
  if (code === SESSION_HELD) return new DatabaseError(words, code);
  const named = code === undefined ? '' : ` (${code})`;
  const worded = WORDS.find(([pattern]) => pattern.test(words));
  const reason = worded ? ([worded[1], worded[2]] as const) : REASONS[code ?? ''];
  if (reason !== undefined) {
    const [found, cure] = reason;
    return new DatabaseError(`${found}${named}. ${cure.replace(PLACE, PLACES[option])}`, code);
  }
  if (code !== undefined && SQLSTATE.test(code)) {
    return new DatabaseError(`The database refuses to work (${code}). Its log says why.`, code);
  }
  return new DatabaseError(
    `The database cannot be reached (${code ?? 'no answer'}). ` +
      'Is it running, and is its address right?',
    code,
  );
}

function errorCode(error: unknown): string | undefined {
  if (!isError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
