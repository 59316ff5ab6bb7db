import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';

/** Every row of every table, as text and as the bytes in it. */
export async function everyRow(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: names } = await client.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n
       ON n.oid = c.relnamespace WHERE n.nspname = 'paymount' AND c.relkind IN ('r', 'p')`,
    );
    const parts: string[] = [];
    for (const { name } of names) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      for (const { row } of rows) parts.push(`${name} ${row}`);
      // A bytea shows as hex; a text inside it must be found, too.
      const { rows: bytes } = await client.query<{ text: string }>(
        `SELECT string_agg(encode(convert_to(t::text, 'UTF8'), 'escape'), '') AS text FROM ${name} t`,
      );
      parts.push(`${name} ${bytes[0]?.text ?? ''}`);
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
}

/** Every key of Redis and what it holds: jobs, counts. */
export async function everyRedisKey(url: string): Promise<string> {
  const client = new Redis(url);
  try {
    const parts: string[] = [];
    for (const key of await client.keys('*')) {
      parts.push(key, (await client.dumpBuffer(key))?.toString('latin1') ?? '');
      // A dump may be compressed.
      const type = await client.type(key);
      if (type === 'hash') parts.push(JSON.stringify(await client.hgetall(key)));
      if (type === 'string') parts.push((await client.get(key)) ?? '');
      if (type === 'stream') parts.push(JSON.stringify(await client.xrange(key, '-', '+')));
    }
    return parts.join('\n');
  } finally {
    client.disconnect();
  }
}

/** Every file below a folder: its path, its mode, what it holds. */
export async function everyFile(folder: string): Promise<readonly FoundFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath ?? entry.path, entry.name);
        const { mode } = await stat(path);
        return { path, mode: mode & 0o777, text: await readFile(path, 'utf8') };
      }),
  );
}

export interface FoundFile {
  readonly path: string;
  readonly mode: number;
  readonly text: string;
}
