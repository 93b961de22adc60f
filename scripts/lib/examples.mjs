import { spawnSync } from 'node:child_process';

/**
 * Signs up, closing the first prompt; signs out; signs in by name, without a name, and from the list of the name's
 * field. All example pages have these buttons.
 */
export async function signUpAndIn(page, { signsOut = true }) {
  const signedIn = () => page.getByText('Signed in as alice').waitFor();
  const leave = async () => {
    if (signsOut) await page.click('[name=signout]');
    else await page.reload();
    await page.getByText('Signed out').waitFor();
  };
  const name = page.getByRole('textbox');
  await name.fill('alice');
  await page.evaluate(() => sessionStorage.setItem('closes', 'yes'));
  await page.click('[name=signup]');
  await page.getByText('The prompt was closed').waitFor();
  await page.evaluate(() => sessionStorage.removeItem('closes'));
  await page.click('[name=signup]');
  await signedIn();
  for (const typed of ['alice', '']) {
    await leave();
    await name.fill(typed);
    await page.click('[name=signin]');
    await signedIn();
  }
  await leave();
  await page.evaluate(() => sessionStorage.setItem('chooses', 'yes'));
  await page.reload();
  await signedIn();
}

/** Checks that a taken name is refused in another browser. */
export async function isRefused(page, { refusal }) {
  await page.getByRole('textbox').fill('alice');
  await page.click('[name=signup]');
  await page.locator('output, [role=alert]').filter({ hasText: refusal }).waitFor();
}

/**
 * The requirements of each example: options of its server, scopes of its key, programs that build and start it, what
 * it says to somebody else with the same name, and whether its page can sign out.
 */
export const EXAMPLES = {
  express: { scopes: ['ceremonies'], start: ['npm', 'start'], refusal: 'This name is taken.' },
  next: {
    scopes: ['ceremonies'],
    build: ['npm', 'run', 'build'],
    start: ['npm', 'start'],
    refusal: 'This name is taken.',
  },
  python: {
    options: ['--registration', 'ticket'],
    scopes: ['tickets'],
    // PyJWT comes from the system: its lock file is not npm's.
    install: false,
    start: [pythonWithJwt(), 'server.py'],
    signsOut: false,
    refusal: 'Conflict',
  },
  'static-page': {
    options: ['--registration', 'first-only'],
    start: ['npm', 'start'],
    path: (server) => `/?server=${encodeURIComponent(server)}`,
    signsOut: false,
    refusal: /ticket|token/i,
  },
  'native-app': {
    options: ['--domain', 'localhost', '--origin', 'android:apk-key-hash:example'],
    scopes: ['ceremonies'],
    start: ['npm', 'start'],
    app: ['node', 'app.js', 'alice'],
  },
};

/** The first Python with the modules that the example needs: the one on PATH may lack them. */
function pythonWithJwt() {
  const has = (python) => spawnSync(python, ['-c', 'import jwt, cryptography']).status === 0;
  return ['python3', '/usr/bin/python3'].find(has) ?? 'python3';
}
