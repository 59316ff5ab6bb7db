#!/usr/bin/env node
// npm links this file before the packages are compiled, so that it may have nothing to load yet.
import { existsSync } from 'node:fs';

const program = new URL('../dist/bin.js', import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  process.stderr.write('paymount-cli: It is not compiled yet: run `npm run build` first.\n');
  process.exitCode = 1;
}
