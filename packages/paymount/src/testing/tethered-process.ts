import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts `program` in the background, waits for the end of standard input, stops it, and removes
 * the folder of `$1` when one is given. The kernel closes that input however this process ends,
 * `kill -9` included, so a tethered server cannot outlive the one who started it.
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

/** What to start, and how it ends. */
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

/** A background program that ends with this process, at the latest. */
export interface TetheredProcess {
  /** The program's own standard output and error; both end when the program does. */
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
  /** Asks it to stop and waits; kills it after 10 s. Calling it again is harmless. */
  stop(): Promise<void>;
}

/**
 * Spawns a program that cannot outlive this process, on any POSIX system.
 * It gets a session of its own, so that Ctrl-C in a terminal reaches us and not it.
 * @throws the `spawn` error (`ENOENT`, `EACCES`) of the shell, never of the program: a program
 *   that does not start just ends its output
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
      // Nothing of our environment (PGDATA, PGPORT, LD_PRELOAD) may steer a server we start.
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      ...options.runAs,
    },
  );
  const exited = once(child, 'exit').catch(() => undefined);
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    async stop() {
      // The shell may be gone already; writing to it is then an error without meaning.
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
    // It ended between the deadline and the kill.
  }
}
