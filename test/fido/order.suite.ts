import type { RegistrationTweaks } from '../../packages/testing/src/tweaks.js';
import { createKeyPair } from '../../packages/testing/src/key-pair.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

describe('calls with several faults', () => {
  let server: TestServer;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
    client = new FidoClient(server.url);
    await client.register('alice');
    await client.signIn('alice', { signCount: 9 });
  });
  afterAll(() => server.stop());

  it.each(withAllLater(registrationFaults()))(
    'refuses a registration by the first of its faults: $step ($code)',
    async ({ code, wrong }) => {
      const user = new FidoClient(server.url);
      const body = user.create(await user.beginRegistration('bob'), wrong.tweaks);
      const spoiled = {
        ...body,
        ...wrong.members,
        response: { ...body.response, ...wrong.response },
      };
      const path = user.paths.completeRegistration;
      expectRefusal(await user.post(path, spoiled, headersOf(wrong)), code);
    },
  );

  it.each(withAllLater(authenticationFaults()))(
    'refuses a sign-in by the first of its faults: $step ($code)',
    async (fault) => {
      const { code, wrong } = fault;
      const body = client.assert(await client.beginAuthentication('alice'), wrong.tweaks);
      const spoiled = {
        ...body,
        ...wrong.members,
        response: { ...body.response, ...wrong.response },
      };
      const path = client.paths.completeAuthentication;
      expectRefusal(await client.post(path, spoiled, headersOf(wrong)), code);
    },
  );

  it('a result call checks the relying party, then the session, then the body', async () => {
    const body = { type: 1 };
    const unknown = { 'x-servicefido-relyingparty': 'unknown.example' };
    const { completeAuthentication, completeRegistration } = client.paths;
    for (const path of [completeAuthentication, completeRegistration]) {
      const stranger = new FidoClient(server.url);
      expectRefusal(await stranger.post(path, body), 'E0024R');
      expectRefusal(await stranger.post(path, body, unknown), 'E0025R');
    }
  });

  function headersOf({ header }: Wrong): Record<string, string> {
    return header === undefined ? {} : { 'x-servicefido-relyingparty': header };
  }
});

/** Each step with all the later ones wrong as well. */
function withAllLater(faults: readonly Fault[]) {
  return faults.map(([step, code], first) => {
    const wrong: Wrong = faults
      .slice(first)
      .map(([, , fault]) => fault)
      // If two change the same member, the change of the earlier step counts.
      .reduceRight<Wrong>(
        (sum, fault) => ({
          ...((fault.header ?? sum.header) ? { header: fault.header ?? sum.header ?? '' } : {}),
          members: { ...sum.members, ...fault.members },
          response: { ...sum.response, ...fault.response },
          tweaks: { ...sum.tweaks, ...fault.tweaks },
        }),
        {},
      );
    return { step, code, wrong };
  });
}

function LEFT_OVER(bytes: Buffer) {
  return Buffer.concat([bytes, Buffer.of(0)]);
}

function registrationFaults(): readonly Fault[] {
  return [
    ['relying party', 'E0025R', { header: 'unknown.example' }],
    ['type', 'E0002R', { members: { type: undefined } }],
    ['id', 'E0005R', { members: { id: undefined } }],
    ['response', 'E0007R', { response: { transports: 1 } }],
    ['client data format', 'E0008R', { response: { clientDataJSON: 'e30' } }],
    ['authenticator data format', 'E1002R', { tweaks: { authenticatorData: LEFT_OVER } }],
    [
      'client data contents',
      'E0029R',
      { tweaks: { clientData: { origin: 'https://evil.example' } } },
    ],
    ['credential', 'E0006R', { tweaks: { attestedCredentialId: Buffer.alloc(32, 1) } }],
    ['RP ID hash', 'E0030R', { tweaks: { rpIdHash: Buffer.alloc(32) } }],
    ['flags', 'E0031R', { tweaks: { flags: () => 0 } }],
    ['attestation statement', 'E1004R', { tweaks: { fmt: 'unknown' } }],
  ];
}

function authenticationFaults(): readonly Fault[] {
  return [
    ['relying party', 'E0025R', { header: 'unknown.example' }],
    ['type', 'E0013R', { members: { type: 'other' } }],
    ['id', 'E0014R', { members: { id: undefined } }],
    ['response', 'E0010R', { response: { userHandle: 1 } }],
    ['client data format', 'E0021R', { response: { clientDataJSON: 'e30' } }],
    ['authenticator data format', 'E0018R', { tweaks: { authenticatorData: LEFT_OVER } }],
    ['signature format', 'E0019R', { response: { signature: '=' } }],
    [
      'client data contents',
      'E0029R',
      { tweaks: { clientData: { origin: 'https://evil.example' } } },
    ],
    ['credential', 'E0033R', { members: { id: 'AQ', rawId: 'AQ' } }],
    ['RP ID hash', 'E0030R', { tweaks: { rpIdHash: Buffer.alloc(32) } }],
    ['flags', 'E0031R', { tweaks: { flags: () => 0 } }],
    ['signature', 'E0032R', { tweaks: { signingKey: createKeyPair(-7) } }],
    ['counter', 'E0035R', { tweaks: { signCount: 1 } }],
  ];
}

/** The fault of a step, and the code of its refusal if no earlier step is wrong. */
type Fault = readonly [step: string, code: string, wrong: Wrong];

interface Wrong {
  readonly header?: string;
  readonly members?: object;
  readonly response?: object;
  readonly tweaks?: RegistrationTweaks;
}
