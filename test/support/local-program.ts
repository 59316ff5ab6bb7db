import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';

/** Linux gives ports from 32,768 on to whoever asks for any. */
const FIRST_PORT = 10_000;
const PORTS_EACH = 100;
const PORT_BLOCKS = 227;
let nextPort = 0;

/** Whether a program of this name is on the PATH. */
export function hasProgram(name: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', name]).status === 0;
}

/** Whether somebody listens at a port of this machine. */
export async function accepts(port: number): Promise<boolean> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * A port that nobody listens at. It is none that systems give to connections and to servers that ask
 * for any port, so that none of those takes it before it is used; and each process has ports of its own.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_EACH; tries += 1) {
    const port = FIRST_PORT + (process.pid % PORT_BLOCKS) * PORTS_EACH + (nextPort % PORTS_EACH);
    nextPort += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port of ${PORTS_EACH} is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port);
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
