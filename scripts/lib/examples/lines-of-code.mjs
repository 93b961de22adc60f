import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const CODE = /\.(?:m?js|jsx|py|html)$/;
const OTHERS = new Set(['node_modules', '.next', '__pycache__']);
/** A line that is blank or contains only a comment. */
const EMPTY = /^\s*(?:$|\/\/|\/?\*|#)/;

/** Lines of code below a folder, without blank ones and comments. */
export function linesOfCode(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !OTHERS.has(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return linesOfCode(path);
      if (!CODE.test(entry.name)) return 0;
      return readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => !EMPTY.test(line)).length;
    })
    .reduce((sum, lines) => sum + lines, 0);
}
