import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretsIn } from '../support/secrets.ts';
import type { Access, Client, Outcome } from './client.ts';

/** For each command: installing and compiling may take minutes on a slow line. */
const COMMAND_LIMIT_MS = 10 * 60_000;
const FOLDERS = new URL('.', import.meta.url).pathname;

/**
 * Copies a client into a temporary folder, installs, compiles and runs it there.
 * @param access made only for a client that is not skipped
 * @param folders where the folders of the client are. @defaultValue beside this file
 * @returns `passed` only where every command succeeded and the program reported every check
 */
export async function runClient(
  client: Client,
  access: () => Promise<Access>,
  folders = FOLDERS,
): Promise<Outcome> {
  const missing = await missingTools(client);
  if (missing.length > 0) {
    return { status: 'skipped', reason: `this machine has no ${missing.join(' and no ')}` };
  }
  const place = await mkdtemp(join(tmpdir(), 'paymount-client-'));
  try {
    for (const folder of client.folders) await copyFiles(join(folders, folder), place);
    const environment = { ...process.env, ...(await access()) };
    let output = '';
    for (const command of client.commands) {
      const { said, problem } = await run(command, place, environment);
      output = `$ ${command}\n${said}`;
      const leaked = secretsIn(said);
      if (leaked.length > 0) {
        const reason = `It printed a secret: ${leaked.join(', ')}.`;
        return { status: 'failed', reason, output: '' };
      }
      if (problem !== undefined) return { status: 'failed', reason: problem, output };
    }
    return verdict(client, output);
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A program that ends early, or that checks less than the others, has not passed. */
function verdict({ checks }: Client, output: string): Outcome {
  const reported = new Set([...output.matchAll(/^ok (.+)$/gm)].map((line) => line[1]));
  const left = checks.filter((check) => !reported.has(check));
  if (left.length === 0) return { status: 'passed', reason: checks.join(', ') };
  return { status: 'failed', reason: `It did not report: ${left.join(', ')}.`, output };
}

async function missingTools({ tools }: Client): Promise<string[]> {
  const missing: string[] = [];
  for (const { name, probe } of tools) {
    const { problem } = await run(probe, tmpdir(), process.env);
    if (problem !== undefined) missing.push(name);
  }
  return missing;
}

async function copyFiles(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile()) await copyFile(join(from, entry.name), join(to, entry.name));
  }
}

/** @returns what it printed, and why it failed, if it did */
async function run(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ said: string; problem?: string }> {
  // A group of its own, so that a hanging command is ended with what it started.
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, { cwd, env, stdio, shell: true, detached: true });
  let said = '';
  child.stdout.on('data', (text) => {
    said += String(text);
  });
  child.stderr.on('data', (text) => {
    said += String(text);
  });
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, COMMAND_LIMIT_MS);
  const [code, signal] = await once(child, 'close');
  clearTimeout(limit);
  if (late) return { said, problem: `\`${command}\` still ran after ${COMMAND_LIMIT_MS} ms.` };
  if (code === 0) return { said };
  return { said, problem: `\`${command}\` ended with ${signal ?? `exit code ${code}`}.` };
}
