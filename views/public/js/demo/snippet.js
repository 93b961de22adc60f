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

/** The relying party that the form names, if any. */
export function relyingPartyOf(form) {
  return new FormData(form).get('relyingParty').trim() || undefined;
}

/** Code to copy: it does with the SDK what the form is set to do. */
export function snippet(form) {
  const relyingParty = relyingPartyOf(form);
  const client = relyingParty ? `{ relyingParty: ${JSON.stringify(relyingParty)} }` : '';
  return `import { createClient, ServiceFidoError } from '${location.origin}/sdk/servicefido.js';

const fido = createClient(${client});

try {
  // Once, while the user is signed in by other means:
  await fido.register(${literal(registerOptions(form))});

  // From then on:
  const { username, token } = await fido.authenticate(${literal(authenticateOptions(form))});
  // Send the token to your backend, which checks it with ${location.origin}/.well-known/jwks.json
} catch (error) {
  if (error instanceof ServiceFidoError && error.kind === 'cancelled') {
    // The user closed the prompt: offer to try again.
  } else throw error;
}
`;
}

function literal(options) {
  const lines = Object.entries(options).map(
    ([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${lines.join('')}  }`;
}
