/** The usual server: Express, express-session and SimpleWebAuthn as their guides show, in memory. */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import express from 'express';
import session from 'express-session';

const RP_ID = 'localhost';
const EXPECTED = { expectedOrigin: 'http://localhost:8080', expectedRPID: RP_ID };
const users = new Map();

const app = express();
app.use(express.json());
app.use(
  session({
    secret: 'bench',
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, maxAge: 60_000 },
  }),
);

app.post('/fidoapi/register/begin', async (request, response) => {
  const { username, displayName } = request.body;
  const options = await generateRegistrationOptions({
    rpName: 'Bench',
    rpID: RP_ID,
    userName: username,
    userDisplayName: displayName,
    excludeCredentials: users.has(username) ? [{ id: users.get(username).id }] : [],
  });
  request.session.pending = { username, challenge: options.challenge };
  response.json({ status: 'ok', ...options });
});

app.post('/fidoapi/register/complete', async (request, response) => {
  const { username, challenge } = request.session.pending;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    ...EXPECTED,
    response: request.body,
    expectedChallenge: challenge,
    requireUserVerification: false,
  });
  if (verified) users.set(username, registrationInfo.credential);
  finish(request, response, verified);
});

app.post('/fidoapi/authenticate/begin', async (request, response) => {
  const { username } = request.body;
  const { id, transports } = users.get(username);
  const options = await generateAuthenticationOptions({
    rpID: RP_ID,
    allowCredentials: [{ id, transports }],
  });
  request.session.pending = { username, challenge: options.challenge };
  response.json({ status: 'ok', ...options });
});

app.post('/fidoapi/authenticate/complete', async (request, response) => {
  const { username, challenge } = request.session.pending;
  const credential = users.get(username);
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...EXPECTED,
    response: request.body,
    expectedChallenge: challenge,
    credential,
    requireUserVerification: false,
  });
  if (verified) credential.counter = authenticationInfo.newCounter;
  finish(request, response, verified);
});

/** The session is not kept: MemoryStore never deletes any, and its growth would be measured too. */
function finish(request, response, verified) {
  request.session.destroy(() => {
    response.status(verified ? 200 : 401).json({ status: verified ? 'ok' : 'failed', verified });
  });
}

app.listen(Number(process.argv[2]), '127.0.0.1');
