import { Controller, Get, UseGuards } from '@nestjs/common';
import {
  ServiceFido,
  ServiceFidoError,
  TokenVerifier,
  type PasskeyClaims,
  type RegistrationResult,
  type User,
} from '@servicefido/node';
import { passkeyRoutes, requirePasskey } from '@servicefido/node/express';
import { Passkey, PasskeyGuard } from '@servicefido/node/nest';
import express from 'express';
import session from 'express-session';

declare module 'express-session' {
  interface SessionData {
    username: string;
  }
}

const fido = new ServiceFido({ baseUrl: new URL('https://fido.example.com'), key: 'sfk_' });
const verifier = new TokenVerifier({
  baseUrl: 'https://fido.example.com',
  audience: 'example.com',
});

export async function register(result: RegistrationResult, ip: string | undefined) {
  const { ceremony } = await fido.beginRegistration(
    { username: 'alice', displayName: 'Alice', userId: '1', residentKey: 'required' },
    { clientAddress: ip },
  );
  return fido.completeRegistration({ ...result, ceremony }, { idempotencyKey: 'once' });
}

export async function leave(username: string): Promise<string | undefined> {
  try {
    const { affected } = await fido.disableUser(username);
    return affected[0]?.credentialIds.join();
  } catch (error) {
    if (error instanceof ServiceFidoError) return error.errorCode;
    throw error;
  }
}

export async function everybody(): Promise<User[]> {
  const all: User[] = [];
  for await (const user of fido.users({ filter: 'a*' })) all.push(user);
  return all;
}

export const app = express();
app.use(session({ secret: 'a secret', resave: false, saveUninitialized: false }));
app.use(
  '/fidoapi',
  express.json(),
  passkeyRoutes(fido, {
    registering: ({ session: { username } }) =>
      username === undefined ? undefined : { username, displayName: 'Alice', userId: '1' },
    signedIn: ({ session }, { username }) => void (session.username = username),
  }),
);
app.get('/me', requirePasskey(verifier, { maxAge: 60, acr: 'phrh' }), (request, response) => {
  response.json({ user: request.passkey?.sub });
});

@Controller()
export class Pages {
  @Get('me')
  @UseGuards(new PasskeyGuard(verifier, { amr: ['mfa'] }))
  me(@Passkey() claims: PasskeyClaims): string {
    return claims.sub;
  }
}
