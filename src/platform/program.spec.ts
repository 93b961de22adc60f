import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from './project.js';
import { programCall } from './program.js';

describe('how messages call the program', () => {
  it.each([
    ['the script of the project’s folder', '/srv/servicefido/dist/main.js', true, './servicefido'],
    ['npm start', '/srv/servicefido/scripts/start.mjs', true, './servicefido'],
    ['a package of an application', '/app/node_modules/.bin/servicefido', false, 'npx servicefido'],
    ['a package installed for all', '/usr/local/bin/servicefido', false, 'servicefido'],
    [
      'the file of a package',
      '/app/node_modules/servicefido/dist/main.js',
      false,
      'node /app/node_modules/servicefido/dist/main.js',
    ],
  ])('messages call the program as %s does', (_, script, hasScript, call) => {
    expect(programCall(script, hasScript)).toBe(call);
  });

  it.each([
    ['servicefido@1.1.0', 'servicefido@1.1.0'],
    ['/srv/servicefido-1.0.0.tgz', 'file:/srv/servicefido-1.0.0.tgz'],
    ['file:/srv/servicefido-1.0.0.tgz', 'file:/srv/servicefido-1.0.0.tgz'],
  ])('messages call the program by npx with the package %s as npx was given it', (given, shown) => {
    const folder = mkdtempSync(join(tmpdir(), 'servicefido-npx-'));
    const manifest = { dependencies: {}, _npx: { packages: [given] } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const script = join(folder, 'node_modules', '.bin', 'servicefido');
    expect(programCall(script, false)).toBe(`npx ${shown}`);
    rmSync(folder, { recursive: true });
  });

  it('no source but the catalogues of texts writes the program into a message', () => {
    const catalogues = ['platform/program.ts', 'platform/config/server-options.ts'];
    const found = globSync('**/*.ts', { cwd: projectPath('src') }).filter(
      (file) =>
        !/\.spec\.ts$|\/languages\//.test(file) &&
        !catalogues.includes(file) &&
        readFileSync(projectPath(`src/${file}`), 'utf8')
          .split('\n')
          .some((line) => /\.\/servicefido [a-z]/.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line)),
    );
    expect(found).toEqual([]);
  });
});
