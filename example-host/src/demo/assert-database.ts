import pg from 'pg';

const CONNECT_LIMIT_MS = 10_000;

/**
 * Refuses a `DATABASE_URL` whose server does not let us in, before anything else fails because of it.
 * @throws Error that names the variable and says what to do; it does not repeat the password
 */
export async function assertDatabase(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // Without a listener, a connection that is lost later would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (cause) {
    const reason = describeCause(cause);
    throw new Error(
      `The server of DATABASE_URL cannot be used: ${reason}. Start it, or unset DATABASE_URL: then a server is started for this run.`,
      { cause },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A name with several addresses gives an error for all, without a message of its own. */
function describeCause(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(describeCause).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
