#!/usr/bin/env node
import { runCommand } from './commands/program.ts';

// Not process.exit(): it would cut off what a pipe has not taken yet.
process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  remark: (line) => process.stderr.write(`${line}\n`),
  ...(process.stderr.isTTY && {
    // Back to the first column, and clear to the end of the line.
    progress: (text: string) => process.stderr.write(`\r\u001b[K${text}`),
  }),
});
