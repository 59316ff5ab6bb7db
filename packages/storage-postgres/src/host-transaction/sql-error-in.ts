/**
 * The form of an SQLSTATE. Codes of libraries, such as Prisma's `P2010` or `EPIPE`, do not match.
 */
const SQLSTATE = /^(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
/** The members in which libraries keep the database's error, and its SQLSTATE. */
const HOLDERS = ['cause', 'driverError', 'original', 'meta', 'driverAdapterError'];
const MAX_HOLDERS = 6;

/** The error of the database, which a host's library may have wrapped. */
export function sqlErrorIn(thrown: unknown): Error | undefined {
  let level: readonly unknown[] = [thrown];
  for (let depth = 0; depth < MAX_HOLDERS; depth += 1) {
    const objects = level.filter((each) => typeof each === 'object' && each !== null);
    for (const each of objects) {
      const code = textIn(each, 'originalCode') ?? textIn(each, 'code');
      if (code && SQLSTATE.test(code)) return buildError(each, code, thrown);
    }
    level = objects.flatMap((each) => HOLDERS.map((name): unknown => Reflect.get(each, name)));
  }
  return undefined;
}

/** As in pg. Some libraries keep only the message, which quotes the constraint and the table. */
function buildError(found: object, code: string, cause: unknown): Error {
  const message = textIn(found, 'originalMessage') ?? textIn(found, 'message') ?? code;
  const constraint =
    textIn(found, 'constraint') ??
    textIn(found, 'constraint_name') ??
    /constraint "([^"]+)"/.exec(message)?.[1];
  const table =
    textIn(found, 'table') ??
    textIn(found, 'table_name') ??
    /(?:relation|table) "([^"]+)"/.exec(message)?.[1];
  return Object.assign(new Error(message, { cause }), {
    code,
    severity: 'ERROR',
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
  });
}

function textIn(holder: object, name: string): string | undefined {
  const value: unknown = Reflect.get(holder, name);
  return typeof value === 'string' ? value : undefined;
}
