#!/usr/bin/env node
// npm links this file before the packages are compiled, and what it loads is there afterwards.
import '../dist/bin.js';
