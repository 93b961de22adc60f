/** Backend of a native app, without cookies and sessions. Its API accepts the token of a sign-in. */
import { randomUUID } from 'node:crypto';
import { ServiceFido, TokenVerifier } from '@servicefido/node';
import { passkeyRoutes, requirePasskey } from '@servicefido/node/express';
import express from 'express';

const { PORT = '3000', SERVICEFIDO_URL = 'http://localhost:8080', SERVICEFIDO_KEY } = process.env;
const fido = new ServiceFido({ baseUrl: SERVICEFIDO_URL, key: SERVICEFIDO_KEY });
// The audience is the relying party: other relying parties of the server have the same issuer and keys.
const verifier = new TokenVerifier({ baseUrl: SERVICEFIDO_URL, audience: 'localhost' });

/** Replaces your database of users. `applicants` maps the secret of an app to the user who is signing up with it. */
const users = new Set();
const applicants = new Map();

const app = express();
app.use(express.json());

app.post('/signup', (request, response) => {
  const { username } = request.body ?? {};
  if (typeof username !== 'string') return response.sendStatus(400);
  // A user who closed the prompt can continue with the secret of the app that reserved the name.
  const earlier = request.headers['x-signup-secret'];
  if (applicants.get(earlier)?.username === username) return response.json({ secret: earlier });
  if (users.has(username)) return response.sendStatus(409);
  const secret = randomUUID();
  users.add(username);
  applicants.set(secret, { username, displayName: username, userId: randomUUID() });
  response.json({ secret });
});

app.use(
  '/fidoapi',
  passkeyRoutes(fido, {
    registering: ({ headers }) => applicants.get(headers['x-signup-secret']),
    registered: ({ headers }) => void applicants.delete(headers['x-signup-secret']),
  }),
);

app.get('/me', requirePasskey(verifier, { amr: ['mfa'] }), ({ passkey }, response) => {
  response.json({ username: passkey.sub, userId: passkey.user_id });
});

app.listen(Number(PORT), 'localhost', () => console.log(`ready at http://localhost:${PORT}`));
