import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { percentile } from '../support/statistics.ts';
import { answerCommands } from './child.ts';
import type { LoadResult } from './http-load.ts';
import type { Connected } from './oauth-child.ts';

/** Posts forms over kept connections: each client sends the next once the last was answered. */
interface Load {
  readonly port: number;
  readonly connected: readonly Connected[];
}

let load: Load = { port: 0, connected: [] };
const agent = new Agent({ keepAlive: true });
/** The token that each client sends next. */
const tokens = new Map<Connected, string>();

async function post(client: Connected, path: string): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: tokens.get(client) ?? client.refreshToken,
    client_id: client.clientId,
    client_secret: client.clientSecret,
  }).toString();
  const request = httpRequest({
    agent,
    host: '127.0.0.1',
    port: load.port,
    path,
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(form),
    },
  });
  request.end(form);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
  return (JSON.parse(text) as { refresh_token: string }).refresh_token;
}

async function run({ path, seconds }: { path: string; seconds: number }): Promise<LoadResult> {
  const times: number[] = [];
  let failures = 0;
  const startMs = performance.now();
  const endMs = startMs + seconds * 1_000;
  const loop = async (client: Connected): Promise<void> => {
    while (performance.now() < endMs) {
      const sentMs = performance.now();
      try {
        const next = await post(client, path);
        if (path !== '/hello') tokens.set(client, next);
        times.push(performance.now() - sentMs);
      } catch (error) {
        failures += 1;
        process.stderr.write(`${String(error)}\n`);
        return;
      }
    }
  };
  await Promise.all(load.connected.map(loop));
  return {
    operations: times.length,
    seconds: (performance.now() - startMs) / 1_000,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    failures,
  };
}

answerCommands({
  prepare: (given: Load) => {
    load = given;
  },
  run,
});
