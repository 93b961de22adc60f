import { getMetadataStorage, validateSync } from 'class-validator';
import '../../src/app.module.js';
import { ApiError } from '../../src/platform/errors/api-error.js';
import { CATALOGUE } from '../../src/platform/errors/catalogue.js';
import { TicketDto } from '../../src/fido/tickets/ticket.dto.js';
import { ChangeRelyingPartyDto } from '../../src/tenancy/tenancy.dto.js';
import { DtoPipe } from '../../src/platform/validation/dto.pipe.js';
import { faultsOf } from '../../src/platform/validation/flat-checks.js';

const TICKET = { username: 'ann', relyingParty: 'localhost' };

const pipe = new DtoPipe();

type Named = new () => object;

/** The bodies of the four calls, and the objects in them. Those of the two result calls have one name. */
const OF_THE_FOUR_CALLS = [
  'BeginRegistrationDto',
  'CeremonyResultDto',
  'AttestationResponseDto',
  'BeginAuthenticationDto',
  'CeremonyResultDto',
  'AssertionResponseDto',
  'AuthenticatorSelectionDto',
];

describe('the DTOs', () => {
  const storage: unknown = Reflect.get(getMetadataStorage(), 'validationMetadatas');
  const validatorsByDto = storage as Map<
    Named,
    { propertyName: string; context?: { code?: unknown } }[]
  >;

  it('each validator of the four calls names a code other than E0045R', () => {
    const dtos = [...validatorsByDto].filter(([{ name }]) => OF_THE_FOUR_CALLS.includes(name));
    expect(dtos.length).toBe(OF_THE_FOUR_CALLS.length);
    for (const [dto, all] of dtos) {
      for (const validator of all) {
        if (['conditionalValidation', 'whitelistValidation'].includes(typeOf(validator))) continue;
        const field = `${dto.name}.${validator.propertyName}`;
        const code = String(validator.context?.code ?? 'E0045R');
        expect([field, code !== 'E0045R' && code in CATALOGUE]).toEqual([field, true]);
      }
    }
  });

  it('finds the same wrong fields as class-validator in all DTOs', () => {
    let compared = 0;
    for (const [dto, validators] of validatorsByDto) {
      if (validators.some((validator) => typeOf(validator) === 'nestedValidation')) continue;
      for (const field of new Set(validators.map(({ propertyName }) => propertyName))) {
        for (const value of SAMPLES) {
          const body = Object.assign(new dto(), { [field]: value });
          const ours = faultsOf(dto, body).map(([name]) => name);
          const theirs = validateSync(body).map(({ property }) => property);
          expect([dto.name, value, ours.toSorted()]).toEqual([dto.name, value, theirs.toSorted()]);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(1000);
  });
});

const typeOf = (validator: object) => String(Reflect.get(validator, 'type'));

describe('DtoPipe', () => {
  it('refuses an absent body and one that is not an object (E0048R, E0001R)', () => {
    expect(refusal(undefined, TicketDto)?.[0]).toBe('E0048R');
    for (const value of [null, [], 'text', 7])
      expect(refusal(value, TicketDto)?.[0]).toBe('E0001R');
  });

  it('creates an instance with the defaults of its class and only its members', () => {
    const dto: unknown = pipe.transform(
      { ...TICKET, role: 'admin' },
      { type: 'body', metatype: TicketDto },
    );
    expect(dto).toBeInstanceOf(TicketDto);
    expect({ ...(dto as TicketDto) }).toEqual({ ...TICKET, ttl: 600 });
  });

  it('reports the wrong field of a body, with its code', () => {
    expect(refusal({ ...TICKET, ttl: 0 }, TicketDto)).toEqual([
      'E0045R',
      '"ttl" must be a whole number from 1 to 86400.',
    ]);
  });

  it('refuses a member that imitates the class of a body (E0045R)', () => {
    for (const text of ['{"constructor":{}}', '{"__proto__":{}}', '{"policy":{"constructor":1}}']) {
      expect(refusal(JSON.parse(text), ChangeRelyingPartyDto)?.[0]).toBe('E0045R');
    }
  });

  it('refuses a body of more than 16 levels or 500 members (E0045R)', () => {
    const members = (n: number) =>
      Object.fromEntries(Array.from({ length: n }, (_, index) => [`x${index}`, index]));
    expect(refusal({ ...TICKET, more: nested(15) }, TicketDto)).toBeUndefined();
    expect(refusal({ ...TICKET, more: nested(16) }, TicketDto)?.[0]).toBe('E0045R');
    expect(refusal({ ...TICKET, more: nested(20_000) }, TicketDto)?.[0]).toBe('E0045R');
    expect(refusal({ ...TICKET, ...members(498) }, TicketDto)).toBeUndefined();
    expect(refusal({ ...TICKET, ...members(499) }, TicketDto)?.[0]).toBe('E0045R');
  });
});

/** The code and the sentence that the pipe refuses a value with. */
function refusal(
  value: unknown,
  metatype: new () => object,
): readonly [unknown, string] | undefined {
  try {
    pipe.transform(value, { type: 'body', metatype });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message];
    throw error;
  }
}

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { value };
  return value;
}

/** Values of each kind, by which a stock decorator and ours can tell a wrong field from a right one. */
const SAMPLES = [
  undefined,
  null,
  '',
  'AQ',
  'public-key',
  'required',
  7,
  -1,
  1.5,
  true,
  [],
  ['usb'],
];
