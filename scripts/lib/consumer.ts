/**
 * Compiled by `npm run long -- release` against the packed packages: each of their entries, with its types. The
 * ordinary tests use and check the whole interface.
 */
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ServiceFidoError, createClient, type AuthenticationAnswer } from '@servicefido/browser';
import { ServiceFido, TokenVerifier, type PasskeyClaims } from '@servicefido/node';
import { passkeyRoutes, requirePasskey } from '@servicefido/node/express';
import { Passkey, PasskeyGuard } from '@servicefido/node/nest';
import { Authenticator, startServer, testRoot } from '@servicefido/testing';
import express from 'express';

const baseUrl = 'https://fido.example.com';
const fido = new ServiceFido({ baseUrl, key: 'sfk_' });
const verifier = new TokenVerifier({ baseUrl, audience: 'example.com', tenant: 'default' });

const hooks = {
  registering: () => ({ username: 'alice', displayName: 'Alice', userId: '1' }),
  signedIn: () => undefined,
};

export const app = express();
app.use('/fidoapi', express.json(), passkeyRoutes(fido, hooks));
app.get('/me', requirePasskey(verifier, { maxAge: 60 }), (request, response) => {
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

export async function signIn(signal: AbortSignal): Promise<AuthenticationAnswer | undefined> {
  const client = createClient({ baseUrl, relyingParty: 'example.com' });
  try {
    return await client.authenticate({ username: 'alice', signal });
  } catch (error) {
    if (error instanceof ServiceFidoError) return undefined;
    throw error;
  }
}

export async function testSignIn(origin: string): Promise<string> {
  const server = await startServer({ policy: { trust: 'all', anchors: [testRoot()] } });
  const backend = new ServiceFido({ baseUrl: server.url, key: server.key });
  const authenticator = new Authenticator({ attestation: 'packed' });
  const creation = await backend.beginRegistration({ username: 'alice', displayName: 'Alice' });
  await backend.completeRegistration(authenticator.create(creation, { origin }));
  const request = await backend.beginAuthentication({ username: 'alice' });
  const page = { origin, userVerified: true };
  const { username } = await backend.completeAuthentication(authenticator.get(request, page));
  await server.stop();
  return username;
}
