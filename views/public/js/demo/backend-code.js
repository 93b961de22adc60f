import { text } from '../texts.js';

/** Quotes a text for a shell. */
const shell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const json = (value) => JSON.stringify(value);

/** Returns a call with an application key in each language. With `body` it is a POST. */
function call({ origin, relyingParty, path, body }) {
  const address = json(origin + path);
  const headers = [
    ['X-ServiceFido-RelyingParty', relyingParty],
    ...(body ? [['Content-Type', 'application/json']] : []),
  ];
  return {
    typescript: `const response = await fetch(${address}, {
  method: ${json(body ? 'POST' : 'GET')},
  headers: {
    Authorization: \`Bearer \${process.env.SERVICEFIDO_KEY}\`,
${headers.map(([name, value]) => `    ${json(name)}: ${json(value)},\n`).join('')}  },
${body ? `  body: JSON.stringify(${json(body)}),\n` : ''}});
const answer = await response.json();
if (!response.ok) throw new Error(answer.errorMessage);
console.log(answer);
`,
    python: `import json, os, urllib.request

request = urllib.request.Request(
    ${address},
${body ? `    data=json.dumps(${json(body)}).encode(),\n` : ''}    headers={
        "Authorization": f"Bearer {os.environ['SERVICEFIDO_KEY']}",
${headers.map(([name, value]) => `        ${json(name)}: ${json(value)},\n`).join('')}    },
)
with urllib.request.urlopen(request, timeout=10) as answer:
    print(json.load(answer))
`,
    curl: `curl --fail-with-body -H "Authorization: Bearer $SERVICEFIDO_KEY" \\
${headers.map(([name, value]) => `  -H ${shell(`${name}: ${value}`)} \\\n`).join('')}${body ? `  -d ${shell(json(body))} \\\n` : ''}  ${shell(origin + path)}
`,
  };
}

/** Returns code that verifies the signature, issuer, audience and times of a token. */
const verification = ({ origin, issuer, relyingParty, username }) => ({
  typescript: `import { TokenVerifier } from '@servicefido/node';

const verifier = new TokenVerifier({
  baseUrl: ${json(origin)},
  issuer: ${json(issuer)},
  audience: ${json(relyingParty)},
});

/** For POST /session: verifies the token from the page and returns the user name. */
export async function signedIn(token: string): Promise<string> {
  const { sub, jti } = await verifier.verify(token);
  // Store jti for five minutes, so that a token is accepted only once.
  return sub; // begin a session of this user, with a new session ID
}
`,
  python: `# Check \`aud\`: all relying parties of the server have one issuer and one set of keys.
import jwt  # PyJWT

KEYS = jwt.PyJWKClient(${json(`${origin}/.well-known/jwks.json`)}, lifespan=60)


def signed_in(token: str) -> str:
    """For POST /session: verifies the token from the page and returns the user name."""
    claims = jwt.decode(
        token,
        KEYS.get_signing_key_from_jwt(token).key,
        algorithms=["ES256"],
        audience=${json(relyingParty)},
        issuer=${json(issuer)},
        leeway=5,  # accepted clock difference in seconds
        options={"require": ["sub", "exp", "iat", "aud", "iss", "jti"]},
    )
    if "txn" in claims:
        raise jwt.InvalidTokenError("It confirms a transaction, and is no sign-in.")
    return claims["sub"]  # begin a session of this user, with a new session ID
`,
  curl: `# A backend that makes the calls itself needs no token: the answer of the last call is the proof.
curl --fail-with-body -H "Authorization: Bearer $SERVICEFIDO_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${shell(json({ username }))} \\
  ${shell(`${origin}/fidoapi/authenticate/begin`)}
# Keep "ceremony" in the user's session, and pass the other members to the page. Send the authenticator's
# response with "ceremony" to ${origin}/fidoapi/authenticate/complete.
`,
});

const keysOf = (facts) =>
  call({ ...facts, path: `/fidoapi/keys?${new URLSearchParams({ username: facts.username })}` });

/** The sentence and the code for each occasion. */
const OCCASIONS = {
  registered: (facts) => [text('backend.registered'), keysOf(facts)],
  signedIn: (facts) => [text('backend.signedIn'), verification(facts)],
  upgrade: ({ username, displayName, ...facts }) => [
    text('backend.upgrade'),
    call({
      ...facts,
      path: '/fidoapi/register/begin',
      body: { username, displayName, mediation: 'conditional' },
    }),
  ],
  invited: ({ username, ...facts }) => [
    text('backend.invited'),
    call({
      ...facts,
      path: '/userapi/invitations',
      body: { username, relyingParty: facts.relyingParty, minKeys: 1 },
    }),
  ],
  ended: () => [text('backend.ended')],
  refused: () => [text('backend.refused')],
};

/** @returns a sentence about what the backend does on an occasion, and its code by language, if any */
export const backendCode = (occasion, facts) => OCCASIONS[occasion](facts);
