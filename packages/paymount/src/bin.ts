#!/usr/bin/env node
import { runCommand } from './commands/program.ts';

// Whoever reads the results may have seen enough: `| head` closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// Not process.exit(): it would cut off what a pipe has not taken yet.
process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  remark: (line) => process.stderr.write(`${line}\n`),
  interrupted,
  ...(process.stderr.isTTY && {
    // Back to the first column, and clear to the end of the line.
    progress: (text: string) => process.stderr.write(`\r\u001b[K${text}`),
  }),
});

function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
