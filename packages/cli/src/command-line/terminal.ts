/** The terminal of a program; tests pass their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results, one line each: standard output. */
  print(line: string): void;
  /** Messages and errors: standard error, so that results can be piped. */
  printError(line: string): void;
  /**
   * Shows progress on one line, which the next call replaces and an empty text removes. Absent
   * without a terminal.
   */
  readonly progress?: (text: string) => void;
  /**
   * A signal that Ctrl-C aborts instead of ending the process; a second Ctrl-C ends it. Absent if
   * the program cannot be interrupted.
   */
  readonly interrupted?: () => AbortSignal;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // The reader may close the pipe early, for example `| head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  return {
    env: process.env,
    print: (line) => void process.stdout.write(`${line}\n`),
    printError: (line) => void process.stderr.write(`${line}\n`),
    interrupted,
    ...(process.stderr.isTTY && {
      // Back to the first column, and clear to the end of the line.
      progress: (text: string) => void process.stderr.write(`\r\u001b[K${text}`),
    }),
  };
}

function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
