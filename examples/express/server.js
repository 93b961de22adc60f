import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ServiceFido } from '@servicefido/node';
import { passkeyRoutes } from '@servicefido/node/express';
import express from 'express';
import session from 'express-session';

const { PORT = '3000', SERVICEFIDO_URL = 'http://localhost:8080', SERVICEFIDO_KEY } = process.env;
const fido = new ServiceFido({ baseUrl: SERVICEFIDO_URL, key: SERVICEFIDO_KEY });

/** Replaces your database of users. Maps each user name to the user's permanent ID. */
const users = new Map();

const app = express();
app.use(
  session({
    secret: randomUUID(),
    resave: false,
    saveUninitialized: false,
    // With HTTPS, also set `secure: true`.
    cookie: { httpOnly: true, sameSite: 'lax' },
  }),
);
app.use(express.json());

/** Begins a new session for each sign-in, since an earlier one can belong to another user. */
const begin = (request, username) =>
  new Promise((resolve, reject) => {
    request.session.regenerate((error) => {
      request.session.username = username;
      if (error) reject(error);
      else resolve();
    });
  });

app.post('/signup', async (request, response) => {
  const { username } = request.body ?? {};
  if (typeof username !== 'string' || username === '') return response.sendStatus(400);
  // A user who closed the prompt can continue, but only in the session that reserved the name.
  if (request.session.username === username) return response.sendStatus(204);
  if (users.has(username)) return response.sendStatus(409);
  users.set(username, { id: randomUUID() });
  await begin(request, username);
  response.sendStatus(204);
});

app.use(
  '/fidoapi',
  passkeyRoutes(fido, {
    // A signed-in user may add a key; ServiceFido requires nothing else, because it trusts your application key.
    registering: ({ session: { username } }) =>
      users.has(username)
        ? { username, displayName: username, userId: users.get(username).id }
        : undefined,
    signedIn: (request, { username }) => begin(request, username),
  }),
);

app.get('/me', ({ session: { username } }, response) => {
  if (username === undefined) return response.sendStatus(401);
  response.json({ username });
});

app.post('/signout', (request, response) => {
  request.session.destroy(() => response.sendStatus(204));
});

const sdk = fileURLToPath(import.meta.resolve('@servicefido/browser'));
app.get('/servicefido.js', (_request, response) => response.sendFile(sdk));
app.use(express.static('public'));

app.listen(Number(PORT), 'localhost', () => console.log(`ready at http://localhost:${PORT}`));
