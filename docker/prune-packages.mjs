/**
 * Leaves in node_modules what the image needs: the packages that the bundle does not contain, and of SQLite the binary
 * of this platform. Run in the image's build only: it rewrites package.json.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { OUTSIDE } from '../scripts/lib/outside.mjs';

const SQLITE = 'node_modules/better-sqlite3';

const { name, version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const needed = Object.fromEntries(OUTSIDE.map((outside) => [outside, dependencies[outside]]));
writeFileSync('package.json', JSON.stringify({ name, version, dependencies: needed }));
execFileSync('npm', ['prune', '--omit=dev'], { stdio: 'inherit' });

for (const source of ['deps', 'src', 'node_modules']) {
  rmSync(`${SQLITE}/${source}`, { recursive: true, force: true });
}
for (const binary of readdirSync(`${SQLITE}/prebuilds`)) {
  const isNeeded = binary === `${process.platform}-${process.arch}.node`;
  if (!isNeeded) rmSync(`${SQLITE}/prebuilds/${binary}`);
}
