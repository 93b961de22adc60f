import { spawnSync } from 'node:child_process';

/**
 * Signs up, of which the first prompt is closed; signs out; signs in by name, without a name, and from the list of
 * the name's field. The buttons are those of every page here.
 */
async function signUpAndIn(page, { signOut = true } = {}) {
  const signedIn = () => page.getByText('Signed in as alice').waitFor();
  const leave = async () => {
    if (signOut) await page.click('[name=signout]');
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

/** A name that is taken is nobody else's, in another browser. */
async function isRefused(page, words) {
  await page.getByRole('textbox').fill('alice');
  await page.click('[name=signup]');
  await page.locator('output, [role=alert]').filter({ hasText: words }).waitFor();
}

/**
 * What each example needs and how people use it: options of its server, scopes of its key, programs that
 * it is installed, built and started with, and what a browser does then.
 */
export const EXAMPLES = {
  express: {
    scopes: ['ceremonies'],
    start: ['npm', 'start'],
    use: signUpAndIn,
    refuse: (page) => isRefused(page, 'This name is taken.'),
  },
  next: {
    scopes: ['ceremonies'],
    build: ['npm', 'run', 'build'],
    start: ['npm', 'start'],
    use: signUpAndIn,
    refuse: (page) => isRefused(page, 'This name is taken.'),
  },
  python: {
    options: ['--registration', 'ticket'],
    scopes: ['tickets'],
    // PyJWT comes from the system: its lock file is of another kind than npm's.
    install: false,
    start: [pythonWithJwt(), 'server.py'],
    use: (page) => signUpAndIn(page, { signOut: false }),
    refuse: (page) => isRefused(page, 'Conflict'),
  },
  'static-page': {
    options: ['--registration', 'first-only'],
    start: ['npm', 'start'],
    path: (server) => `/?server=${encodeURIComponent(server)}`,
    use: (page) => signUpAndIn(page, { signOut: false }),
    refuse: (page) => isRefused(page, /ticket|token/i),
  },
  'native-app': {
    options: ['--domain', 'localhost', '--origin', 'android:apk-key-hash:example'],
    scopes: ['ceremonies'],
    start: ['npm', 'start'],
    app: ['node', 'app.js', 'alice'],
  },
};

/** The first Python that has what the example asks for: PATH may lead to one without. */
function pythonWithJwt() {
  const has = (python) => spawnSync(python, ['-c', 'import jwt, cryptography']).status === 0;
  return ['python3', '/usr/bin/python3'].find(has) ?? 'python3';
}
