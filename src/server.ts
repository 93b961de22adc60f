// First, because in the bundle Nest's decorators may run before Nest's own import of it.
import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { run } from './cli/run.js';

// By default V8 lets garbage among old objects grow to three times the memory in use (docs/speed.md,
// "Memory").
setFlagsFromString('--heap-growing-percent=60');
const code = await run(process.argv.slice(2), process.env);
// A start that failed half-way may have opened connections that would keep the process alive.
if (code !== 0) process.exit(code);
