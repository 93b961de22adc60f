const DEFAULTS = {
  userVerification: 'preferred',
  attestation: 'none',
  attachment: 'all',
  discoverable_credential: 'preferred',
};
const DEFAULT_ALGORITHMS = 'es256,eddsa,rs256';

/** Returns the options of the form that differ from the server's defaults, in the form of the SDK. */
export function registerOptions(form) {
  const data = new FormData(form);
  const options = { username: data.get('username'), displayName: data.get('displayName') };
  for (const [name, defaultValue] of Object.entries(DEFAULTS)) {
    if (data.get(name) !== defaultValue) options[name] = data.get(name);
  }
  const algorithms = data.getAll('algorithms');
  if (algorithms.join() !== DEFAULT_ALGORITHMS) options.algorithms = algorithms;
  if (data.get('keyName')) options.keypair = { name: data.get('keyName') };
  if (data.get('ticket')) options.ticket = data.get('ticket');
  return options;
}

/** Like `registerOptions`, for a sign-in. */
export function authenticateOptions(form) {
  const { username, userVerification } = registerOptions(form);
  return { username, ...(userVerification && { userVerification }) };
}

const userOf = (form) => {
  const { username, displayName } = registerOptions(form);
  return { username, displayName };
};

/** Returns the relying party that the form names, or `undefined`. */
export function relyingPartyOf(form) {
  return new FormData(form).get('relyingParty').trim() || undefined;
}

const literal = (options) => {
  const lines = Object.entries(options).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${lines.join('')}}`;
};

/** The code of a page for each scene, without the creation of the client. */
const SCENES = {
  basics: (form) => `// Once, for a user who has signed in another way, for example with a password:
await fido.register(${literal(registerOptions(form))});

// For each later sign-in:
const { username, token } = await fido.authenticate(${literal(authenticateOptions(form))});
// Send the token to your backend, which verifies it with ${location.origin}/.well-known/jwks.json`,

  nameless: () => `// When the page opens. The call waits while the page is open:
fido.autofill(document.querySelector('input[name=username]')).then(enter, failed);

// For users who prefer a button. This call aborts the autofill:
button.onclick = () => fido.signIn().then(enter, failed);

function enter({ username, token }) {
  // Send the token to your backend.
}
function failed(error) {
  if (error.kind === 'aborted' || error.kind === 'unsupported') return;
  throw error;
}`,

  upgrade: (form) => `// Right after your backend has checked the password. It makes the calls with
// its application key, or gives the page a fresh token of the user:
const registration = await fido.upgrade(${literal(userOf(form))});
if (registration) {
  // The browser has created a passkey without a prompt. Notify the user by email.
}`,

  second: (form) => `const { username } = ${literal(userOf(form))};
// Sign in with an existing key ...
const { token } = await fido.authenticate({ username, userVerification: 'required' });
// ... whose token permits a new key for five minutes:
await fido.register({ username, displayName: ${JSON.stringify(userOf(form).displayName)}, token });`,

  'my-keys': () => `const keys = createKeys({
  // "fresh" is true if a change requires a newer sign-in.
  token: async ({ fresh }) => (fresh ? (await fido.signIn()).token : token),
});

const { keys: mine } = await keys.list();
await keys.rename(mine[0].credentialId, 'Blue, in the drawer');
await keys.remove(mine[1].credentialId);
// Or link to ${location.origin}/my-keys?relyingParty=…`,

  invitation: (
    form,
  ) => `// On your own page for invitations. The built-in page is /enrol of this server.
const ticket = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
await fido.register(${literal({ ...userOf(form), ticket: 'TICKET' }).replace('ticket: "TICKET"', 'ticket')});`,

  failures: (form) => `try {
  await fido.register(${literal(userOf(form)).replaceAll('\n', '\n  ')});
} catch (error) {
  if (!(error instanceof ServiceFidoError)) throw error;
  switch (error.kind) {
    case 'cancelled': // the user closed the prompt, or the browser refused
    case 'timeout':
      return showRetryButton();
    case 'already_registered':
      return showMessage('This device already has your key.');
    default:
      return showMessage(error.message, error.requestId);
  }
}`,
};

const MORE = `import { createKeys } from 'ORIGIN/sdk/keys.js';\n`;

/** Returns the page's code for a scene, with the options of the form. */
export function pageCode(form, scene) {
  const relyingParty = relyingPartyOf(form);
  const client = relyingParty ? `{ relyingParty: ${JSON.stringify(relyingParty)} }` : '';
  const names = scene === 'failures' ? 'createClient, ServiceFidoError' : 'createClient';
  const more = scene === 'my-keys' ? MORE.replace('ORIGIN', location.origin) : '';
  return `import { ${names} } from '${location.origin}/sdk/servicefido.js';
${more}
const fido = createClient(${client});

${SCENES[scene](form)}
`;
}
