#!/usr/bin/env node
import { runCommand } from './commands/program.ts';

// Not process.exit(): it would lose output that a pipe has not accepted yet.
process.exitCode = await runCommand(process.argv.slice(2));
