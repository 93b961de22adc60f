import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type {
  AuthenticateOptions,
  AuthenticationJSON,
  RegisterOptions,
  RegistrationJSON,
} from '../../packages/browser/src/types.js';
import { projectPath } from '../../src/platform/project.js';
import type {
  BeginAuthenticationDto,
  AuthenticationResultDto,
} from '../../src/fido/authentication/authentication.dto.js';
import type {
  BeginRegistrationDto,
  RegistrationResultDto,
} from '../../src/fido/registration/registration.dto.js';

const built = (name: string) => readFileSync(projectPath(`packages/browser/dist/${name}`), 'utf8');

/** Fields of the server that the SDK does not take. */
type Lacking<Dto, Options> = Exclude<keyof Dto, keyof Options>;
/** Only an application's backend sends these. */
type OfBackends = 'userId' | 'clientAddress' | 'secondFactor' | 'groups';

describe('@servicefido/browser', () => {
  it('@servicefido/browser has at most 5 kB compressed', () => {
    expect(gzipSync(built('servicefido.js')).length).toBeLessThanOrEqual(5_000);
  });

  it.each(['servicefido.js', 'servicefido.d.ts', 'keys.js', 'keys.d.ts'])(
    'the file %s imports no other file',
    (name) => {
      // The origin of a key may be the text 'import'.
      expect(built(name)).not.toMatch(/(?<!['"])\bimport\s*[{*'"(]|\bfrom\s*['"]/);
    },
  );

  it('accepts every field of the begin calls, or this file does not compile', () => {
    const inRegistration: Record<Lacking<BeginRegistrationDto, RegisterOptions>, OfBackends> = {
      userId: 'userId',
      clientAddress: 'clientAddress',
      groups: 'groups',
    };
    const inSignIn: Record<Lacking<BeginAuthenticationDto, AuthenticateOptions>, OfBackends> = {
      userId: 'userId',
      clientAddress: 'clientAddress',
      secondFactor: 'secondFactor',
    };
    const { groups, ...inBoth } = inRegistration;
    expect(groups).toBe('groups');
    expect(inSignIn).toEqual({ ...inBoth, secondFactor: 'secondFactor' });
  });

  it('sends bodies that the result calls accept, or this file does not compile', () => {
    const registration = (sent: RegistrationJSON): Omit<RegistrationResultDto, 'ceremony'> => sent;
    const authentication = (sent: AuthenticationJSON): AuthenticationResultDto => sent;
    expect([registration, authentication]).toHaveLength(2);
  });
});
