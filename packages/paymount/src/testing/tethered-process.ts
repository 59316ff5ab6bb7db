import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts `program` in the background, waits for the end of standard input, stops it, and removes
 * the folder of `$1` when one is given. The kernel closes that input whenever this process ends,
 * even with `kill -9`, so a tethered server always ends with the process that started it.
 */
const TETHER = `
folder=$1; signal=$2; shift 2
"$@" </dev/null &
server=$!
exec >/dev/null 2>&1
read -r _
kill -s "$signal" "$server"
wait "$server"
[ -z "$folder" ] || rm -rf "$folder"
`;

const STOP_LIMIT_MS = 10_000;

/** The program to start, and how to stop it. */
export interface TetheredOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The signal that asks the program to stop, without `SIG`. */
  readonly stopSignal: 'INT' | 'TERM';
  /** Removed after the program has ended. */
  readonly temporaryFolder?: string;
  /** User and group to run as; ours by default. */
  readonly runAs?: { readonly uid: number; readonly gid: number };
}

/** A background program that ends no later than this process. */
export interface TetheredProcess {
  /** The standard output and error of the program. */
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
  /** Asks it to stop and waits; kills it after 10 s. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Spawns a program that always ends with this process, on any POSIX system. It gets its own
 * session, so that Ctrl-C in a terminal does not reach it.
 * @throws the `spawn` error (`ENOENT`, `EACCES`) of the shell, never of the program: if the program
 * does not start, its output just ends
 */
export function spawnTethered(options: TetheredOptions): TetheredProcess {
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      TETHER,
      'tether',
      options.temporaryFolder ?? '',
      options.stopSignal,
      options.program,
      ...options.args,
    ],
    {
      cwd: options.cwd,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Our environment (PGDATA, PGPORT, LD_PRELOAD) must not affect a server that we start.
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      ...options.runAs,
    },
  );
  const exited = once(child, 'exit').catch(() => undefined);
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    async stop() {
      // The shell may have ended already; an error of the write can be ignored.
      child.stdin.on('error', () => undefined).end();
      const killer = setTimeout(() => killGroup(child), STOP_LIMIT_MS);
      await exited;
      clearTimeout(killer);
    },
  };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The program ended between the deadline and the kill.
  }
}
