#!/usr/bin/env node
import { runMerchantCommand } from './commands/run-merchant-command.ts';

// Whoever reads the results may have seen enough: `| head` closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// Not process.exit(): it would cut off what a pipe has not taken yet.
process.exitCode = await runMerchantCommand(process.argv.slice(2), {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  remark: (line) => void process.stderr.write(`${line}\n`),
  interrupted,
});

function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
