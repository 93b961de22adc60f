#!/usr/bin/env node
import { boundHeap } from './cli/heap-bounds.js';

boundHeap();
const { run } = await import('./cli/run.js');
const code = await run(process.argv.slice(2), process.env);
// A start that failed half-way may have opened connections that would keep the process alive.
if (code !== 0) process.exit(code);
