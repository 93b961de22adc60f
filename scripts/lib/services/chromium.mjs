import { execFileSync } from 'node:child_process';
import { executable, findProgram } from './programs.mjs';

const ON_A_MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** The first is the same browser without windows: page tests take 30 % less time with it. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Finds the browser for the tests of the pages and of the SDK. */
export function findChromium() {
  const given = process.env.CHROMIUM;
  const missing = (why, more = {}) => ({
    name: 'Chromium',
    missing: why,
    env: { CHROMIUM: '' },
    ...more,
  });
  if (given === '') return missing('CHROMIUM is empty');
  const usual = findProgram(...PROGRAMS);
  const path = given ?? usual ?? (executable(ON_A_MAC) ? ON_A_MAC : undefined);
  if (path === undefined) {
    return missing(`none of ${PROGRAMS.join(', ')} is installed`, {
      packages: [['chromium-headless-shell', 'chromium']],
    });
  }
  try {
    const said = execFileSync(path, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const version = /\d[\d.]+/.exec(said.toString())?.[0] ?? 'unknown version';
    return { name: 'Chromium', detail: `${version} at ${path}`, env: { CHROMIUM: path } };
  } catch (error) {
    return missing(`${path} does not start: ${error.message}`, { broken: given !== undefined });
  }
}
