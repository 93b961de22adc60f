/**
 * Preloaded into a command (`--import`): copies a folder after each step that may change a file in it, which is what a
 * kill at that moment would leave. `WATCHED_FOLDER` names the folder, `COPIES_FOLDER` where the copies go.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

const { WATCHED_FOLDER: watched, COPIES_FOLDER: copies } = process.env;
const { cpSync } = fs;
let count = 0;
let isCopying = false;

function copyAfter(owner, name) {
  const step = owner[name];
  owner[name] = function (...args) {
    const result = Reflect.apply(step, this, args);
    if (!isCopying) copy(name);
    return result;
  };
}

function copy(name) {
  // Copying uses the same functions.
  isCopying = true;
  count += 1;
  cpSync(watched, join(copies, `${String(count).padStart(4, '0')}-${name}`), { recursive: true });
  isCopying = false;
}

for (const name of ['openSync', 'linkSync', 'renameSync', 'rmSync']) copyAfter(fs, name);
syncBuiltinESMExports();
const memory = new BetterSqlite3(':memory:');
copyAfter(Object.getPrototypeOf(memory.prepare('SELECT 1')), 'run');
memory.close();
for (const name of ['exec', 'pragma', 'close']) copyAfter(BetterSqlite3.prototype, name);
