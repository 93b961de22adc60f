const DEFAULTS = {
  userVerification: 'preferred',
  attestation: 'none',
  attachment: 'all',
  discoverable_credential: 'preferred',
};
const DEFAULT_ALGORITHMS = 'es256,eddsa,rs256';

/** The options of the form that differ from the server's defaults, as the SDK takes them. */
export function registerOptions(form) {
  const data = new FormData(form);
  const options = { username: data.get('username'), displayName: data.get('displayName') };
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    if (data.get(name) !== usual) options[name] = data.get(name);
  }
  const algorithms = data.getAll('algorithms');
  if (algorithms.join() !== DEFAULT_ALGORITHMS) options.algorithms = algorithms;
  if (data.get('keyName')) options.keypair = { name: data.get('keyName') };
  if (data.get('ticket')) options.ticket = data.get('ticket');
  return options;
}

/** As `registerOptions`, for a sign-in. */
export function authenticateOptions(form) {
  const { username, userVerification } = registerOptions(form);
  return { username, ...(userVerification && { userVerification }) };
}

const personOf = (form) => {
  const { username, displayName } = registerOptions(form);
  return { username, displayName };
};

/** The relying party that the form names, if any. */
export function relyingPartyOf(form) {
  return new FormData(form).get('relyingParty').trim() || undefined;
}

const literal = (options) => {
  const lines = Object.entries(options).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${lines.join('')}}`;
};

/** What a page writes for each scene, besides the client. */
const SCENES = {
  basics: (form) => `// Once, while the user is signed in by other means:
await fido.register(${literal(registerOptions(form))});

// From then on:
const { username, token } = await fido.authenticate(${literal(authenticateOptions(form))});
// Send the token to your backend, which checks it with ${location.origin}/.well-known/jwks.json`,

  nameless: () => `// When the page opens; it waits for as long as the page is open:
fido.autofill(document.querySelector('input[name=username]')).then(enter, failed);

// A button for whoever does not click into the field; it ends the waiting:
button.onclick = () => fido.signIn().then(enter, failed);

function enter({ username, token }) {
  // Send the token to your backend.
}
function failed(error) {
  if (error.kind === 'aborted' || error.kind === 'unsupported') return;
  throw error;
}`,

  upgrade: (form) => `// Right after your backend has checked the password; it begins with its key,
// or hands a fresh token of the user to the page:
const made = await fido.upgrade(${literal(personOf(form))});
if (made) {
  // A passkey, and nobody was asked. Say so in a mail.
}`,

  second: (form) => `const { username } = ${literal(personOf(form))};
// The key that the user has ...
const { token } = await fido.authenticate({ username, userVerification: 'required' });
// ... vouches for the new one, for five minutes:
await fido.register({ username, displayName: ${JSON.stringify(personOf(form).displayName)}, token });`,

  'my-keys': () => `const keys = createKeys({
  // Called with fresh: true where a change wants a newer sign-in.
  token: async ({ fresh }) => (fresh ? (await fido.signIn()).token : token),
});

const { keys: mine } = await keys.list();
await keys.rename(mine[0].credentialId, 'Blue, in the drawer');
await keys.remove(mine[1].credentialId);
// Or link to ${location.origin}/my-keys?relyingParty=…`,

  invitation: (
    form,
  ) => `// On your own page for invitations; /enrol of this server is one that is made.
const ticket = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
await fido.register(${literal({ ...personOf(form), ticket: 'TICKET' }).replace('ticket: "TICKET"', 'ticket')});`,

  failures: (form) => `try {
  await fido.register(${literal(personOf(form)).replaceAll('\n', '\n  ')});
} catch (error) {
  if (!(error instanceof ServiceFidoError)) throw error;
  switch (error.kind) {
    case 'cancelled': // closed, or the key cannot do what was asked
    case 'timeout':
      return offerToTryAgain();
    case 'already_registered':
      return say('This device has a key of yours already.');
    default:
      return say(error.message, error.requestId);
  }
}`,
};

const MORE = `import { createKeys } from 'ORIGIN/sdk/keys.js';\n`;

/** Code to copy: it does with the SDK what the scene does, as the form is set. */
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
