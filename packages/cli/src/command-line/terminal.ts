/** What a program sees of its process; tests pass their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results, one line each: standard output. */
  print(line: string): void;
  /** Remarks and errors: standard error, so that results can be piped on. */
  printError(line: string): void;
  /**
   * Shows how far long work is, on one line that the next call replaces and an empty text takes
   * away. Absent when nobody watches: no terminal.
   */
  readonly progress?: (text: string) => void;
  /**
   * From now on Ctrl-C aborts this, in place of ending the process; a second one ends it. Absent where
   * nobody interrupts.
   */
  readonly interrupted?: () => AbortSignal;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // The reader of the results may have seen enough: `| head` closes the pipe.
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
