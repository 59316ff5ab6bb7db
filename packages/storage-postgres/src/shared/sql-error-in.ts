/** The form of an SQLSTATE, which no library's own code has: neither Prisma's `P2010` nor `EPIPE`. */
const SQLSTATE = /^(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
/** Where libraries keep the error of the database, and what they call the SQLSTATE in it. */
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

/** As pg has it. Some libraries keep the message alone, which quotes constraint and table. */
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
