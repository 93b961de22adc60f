import {
  ServiceFidoError,
  createClient,
  isAutofillAvailable,
  type AuthenticationAnswer,
  type ErrorKind,
  type RegisterOptions,
} from '@servicefido/browser';

const fido = createClient({ baseUrl: 'https://fido.example.com', relyingParty: 'example.com' });

const user: RegisterOptions = {
  username: 'alice',
  displayName: 'Alice',
  residentKey: 'required',
  hints: ['client-device'],
  extensions: { prf: { eval: { first: 'AA' } } },
  idempotencyKey: 'once',
};

export async function register(signal: AbortSignal): Promise<string> {
  const { credentialId, attestation } = await fido.register({ ...user, signal });
  return `${credentialId} ${attestation.format}`;
}

export async function signIn(): Promise<AuthenticationAnswer | ErrorKind> {
  const mediation = (await isAutofillAvailable()) ? 'conditional' : 'optional';
  try {
    const answer = await fido.authenticate({ username: 'alice', mediation });
    const secret: ArrayBuffer | ArrayBufferView | undefined =
      answer.clientExtensionResults.prf?.results?.first;
    console.log(secret?.byteLength, answer.token);
    return answer;
  } catch (error) {
    if (error instanceof ServiceFidoError) return error.kind;
    throw error;
  }
}
