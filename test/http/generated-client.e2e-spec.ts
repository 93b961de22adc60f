import { execFile } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { projectPath } from '../../src/platform/project.js';
import { DESCRIBED_CALLS, type DescribedCall } from '../support/api/described-calls.js';
import { ProjectCopy } from '../support/project-copy.js';

describe('a client that openapi-typescript generates from openapi.json', () => {
  it('the client compiles with a program of all operations and with the types of @servicefido/node', async () => {
    const copy = new ProjectCopy(['dist/openapi.json']);
    const run = promisify(execFile);
    const bin = (name: string) => projectPath(`node_modules/${name}`);
    try {
      const generate = [
        bin('openapi-typescript/bin/cli.js'),
        'dist/openapi.json',
        '-o',
        'api.d.mts',
      ];
      await run(process.execPath, generate, { cwd: copy.root });
      writeFileSync(copy.path('client.d.mts'), CLIENT.replace('./api.js', './api.mjs'));
      writeFileSync(copy.path('program.mts'), program().replace('./client.js', './client.mjs'));
      copyFileSync(projectPath('packages/node/src/types.ts'), copy.path('types.mts'));
      writeFileSync(copy.path('held.mts'), HELD);
      writeFileSync(copy.path('tsconfig.json'), JSON.stringify(CONFIG));
      const compiled = await run(process.execPath, [bin('typescript/bin/tsc'), '-p', '.'], {
        cwd: copy.root,
      }).catch(({ stdout }: { stdout: string }) => ({ stdout }));
      expect(compiled.stdout).toBe('');
    } finally {
      copy.remove();
    }
  });
});

function useOf({ operationId, parameters = [], requestBody, responses }: DescribedCall): string {
  const ofPath = parameters.filter((parameter) => parameter.in === 'path');
  const path = Object.fromEntries(ofPath.map(({ name, example }) => [name, example ?? 'text']));
  const body: unknown = requestBody?.content['application/json']?.example;
  const sent = [
    `path: ${ofPath.length === 0 ? 'undefined' : JSON.stringify(path)}`,
    `body: ${body === undefined ? 'undefined' : JSON.stringify(body)}`,
  ];
  return `{
  const answer = await call('${operationId}', { ${sent.join(', ')} });
  if (answer.status === 500 || answer.status === 503 || answer.status === 507) {
    const sentence: string = answer.body.errorMessage;
    say(sentence, answer.body.requestId, answer.body.errorCode);
  } else if (answer.status === ${Object.keys(responses).find((status) => status < '3')}) {
    known(answer.body);
  }
}`;
}

/** One program that calls all operations and reads their answers, a few of them closely. */
function program() {
  return `
import { call } from './client.js';

declare function say(...texts: string[]): void;
/** Accepts values of a specific type, and neither any nor unknown. */
declare function known<T>(value: unknown extends T ? never : T): void;

${DESCRIBED_CALLS.map(useOf).join('\n')}

const begun = await call('beginRegistration', {
  path: undefined,
  body: { username: 'alice', displayName: 'Alice' },
});
if (begun.status === 200) say(begun.body.challenge, begun.body.user.id);
const signedIn = await call('completeAuthentication', {
  path: undefined,
  body: {
    type: 'public-key',
    id: 'a',
    rawId: 'a',
    response: { clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' },
  },
});
if (signedIn.status === 200) say(signedIn.body.username, signedIn.body.token ?? '');
else if (signedIn.status === 408) {
  const status: false = signedIn.body.status;
  say(signedIn.body.errorCode, String(status));
}
await call('changeRelyingParty', {
  path: { tenant: 'acme', domain: 'acme.example' },
  body: { policy: { status: { mode: 'report', from: '2027-01-01', REVOKED: 'warn' } } },
});
const listed = await call('listUsers', { path: undefined, body: undefined });
if (listed.status === 200) {
  const answer: unknown = listed.body;
  if (typeof listed.body !== 'string') say(...listed.body.users.map(({ username }) => username));
  say(typeof answer);
}
export {};
`;
}

/** The request and the answer of an operation, only with the types that openapi-typescript has generated. */
const CLIENT = `
import type { operations } from './api.js';

type Body<Of> = Of extends { content: infer Content } ? Content[keyof Content] : never;
type Answers<Id extends keyof operations> = {
  [Status in keyof operations[Id]['responses']]: {
    status: Status;
    body: Body<operations[Id]['responses'][Status]>;
  };
}[keyof operations[Id]['responses']];
export interface Sent<Id extends keyof operations> {
  path: operations[Id]['parameters']['path'];
  body: operations[Id] extends { requestBody: { content: infer Content } }
    ? Content extends { 'application/json': infer Json } ? Json : undefined
    : undefined;
}
export declare function call<Id extends keyof operations>(
  id: Id,
  sent: Sent<Id>,
): Promise<Answers<Id>>;
`;

/**
 * Compares the types that @servicefido/node has written out, with their explanations, with those of the
 * document: beside the name of a schema stand the members that one side lacks, or that a type does not fit.
 */
const HELD = `
import type { components } from './api.mjs';
import type * as T from './types.mjs';

type Schemas = components['schemas'];
/** An application's key is answered a ceremony instead of a cookie, and sends it back. */
type ByKey<Body> = Body extends { ceremony?: string } ? Body & { ceremony: string } : Body;
type Differing<One, Other> = Exclude<keyof One, keyof Other> | Exclude<keyof Other, keyof One>;
type Answered<Said, Schema> = Schema extends Said ? Differing<Said, Schema> : 'of another type';
/** What is sent may be readonly; a list of the document's is not. */
type Writable<Said> = object extends Said
  ? Record<string, unknown>
  : Said extends (...sent: never[]) => unknown
  ? Said
  : { -readonly [Name in keyof Said]: Writable<Said[Name]> };
type Sent<Said, Schema> = Writable<Said> extends Schema ? Exclude<keyof Said, keyof Schema> : 'of another type';

interface Answers {
  CreationOptionsAnswer: T.CreationOptions;
  RegistrationAnswer: T.Registered;
  RequestOptionsAnswer: T.RequestOptions;
  AuthenticationAnswer: T.Authenticated;
  TicketAnswer: T.Ticket;
  ListAnswer: T.UserPage;
  UserView: T.User;
  CredentialView: T.Credential;
  OkAnswer: T.Ok;
  ChangeAnswer: T.Changed;
  EventListAnswer: T.EventPage & { more?: boolean; records?: object[] };
  EventView: T.Event;
}
interface Bodies {
  BeginRegistrationDto: T.BeginRegistration;
  RegistrationResultDto: T.RegistrationResult;
  BeginAuthenticationDto: T.BeginAuthentication;
  AuthenticationResultDto: T.AuthenticationResult;
  GivenUpDto: T.GivenUp;
  TicketDto: T.TicketRequest & { relyingParty: string };
}

declare const answers: { [Name in keyof Answers]: Answered<Answers[Name], ByKey<Schemas[Name]>> };
declare const bodies: { [Name in keyof Bodies]: Sent<Bodies[Name], Schemas[Name]> };
export const right: Record<keyof Answers, never> & Record<keyof Bodies, never> = {
  ...answers,
  ...bodies,
};
`;

const CONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: [],
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
  },
  files: ['program.mts', 'held.mts'],
};
