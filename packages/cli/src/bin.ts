#!/usr/bin/env node
import { runProgram } from './command-line/program.ts';
import { MERCHANT_PROGRAM } from './merchant-program.ts';

// Not process.exit(): it would lose output that a pipe has not accepted yet.
process.exitCode = await runProgram(MERCHANT_PROGRAM, process.argv.slice(2));
