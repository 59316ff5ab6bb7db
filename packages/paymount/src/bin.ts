#!/usr/bin/env node
import { runCommand } from './commands/program.ts';

// Not process.exit(): it would cut off what a pipe has not taken yet.
process.exitCode = await runCommand(process.argv.slice(2));
