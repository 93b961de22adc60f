import { getMetadataStorage, validateSync } from 'class-validator';
import '../../src/app.module.js';
import { ApiError } from '../../src/errors/api-error.js';
import { CATALOGUE } from '../../src/errors/catalogue.js';
import { RegistrationResultDto } from '../../src/fido/result.dto.js';
import { TicketDto } from '../../src/fido/tickets/ticket.dto.js';
import { ChangeRelyingPartyDto } from '../../src/tenancy/tenancy.dto.js';
import { DtoPipe } from '../../src/validation/dto.pipe.js';

const TICKET = { username: 'ann', relyingParty: 'localhost' };

const pipe = new DtoPipe();

type Named = new () => object;

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

const nested = (levels: number): object => {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { value };
  return value;
};

describe('DTOs', () => {
  it('each rule names its codes, which are in the catalogue', () => {
    const storage: unknown = Reflect.get(getMetadataStorage(), 'validationMetadatas');
    const validationMetadatas = storage as Map<Named, { propertyName: string; context?: object }[]>;
    const fields = [...validationMetadatas].flatMap(([dto, rules]) =>
      rules.map(({ propertyName, context }) => [`${dto.name}.${propertyName}`, context] as const),
    );
    expect(fields.length).toBeGreaterThan(30);
    for (const [field, context = {}] of fields) {
      const named = Object.values(context).filter((code) => Object.hasOwn(CATALOGUE, String(code)));
      expect([field, named.length]).toEqual([field, Math.max(1, Object.keys(context).length)]);
    }
  });

  it('class-validator by itself refuses the field that the checks in place refuse', () => {
    const result = { type: 'public-key', id: 'AQ', rawId: 'AQ', response: {} };
    expect(validateSync(Object.assign(new RegistrationResultDto(), result))).toEqual([]);
    for (const [member, value] of [
      ['type', 7],
      ['id', 'AR'],
      ['response', { transports: 'usb' }],
      ['authenticatorAttachment', 'usb'],
      ['clientExtensionResults', []],
    ] as const) {
      const body = { ...result, [member]: value };
      const [error] = validateSync(Object.assign(new RegistrationResultDto(), body));
      const codes = Object.values(error?.contexts ?? {}).flatMap((context) =>
        Object.values(context as object),
      );
      expect(error?.property).toBe(member);
      expect(codes).toContain(refusal(body, RegistrationResultDto)?.[0]);
    }
  });
});

describe('DtoPipe', () => {
  it('refuses an absent body, and one that is no object', () => {
    expect(refusal(undefined, TicketDto)?.[0]).toBe('E0048R');
    for (const value of [null, [], 'text', 7])
      expect(refusal(value, TicketDto)?.[0]).toBe('E0001R');
  });

  it('makes an instance with the defaults of its class, without what the class does not describe', () => {
    const dto: unknown = pipe.transform(
      { ...TICKET, role: 'admin' },
      { type: 'body', metatype: TicketDto },
    );
    expect(dto).toBeInstanceOf(TicketDto);
    expect({ ...(dto as TicketDto) }).toEqual({ ...TICKET, ttl: 600 });
  });

  it('says which field breaks which rule, with its code', () => {
    expect(refusal({ ...TICKET, ttl: 0 }, TicketDto)).toEqual([
      'E0045R',
      '"ttl" must be a whole number from 1 to 86400.',
    ]);
  });

  it('X31 a member that imitates the class is refused, not believed', () => {
    for (const text of ['{"constructor":{}}', '{"__proto__":{}}', '{"policy":{"constructor":1}}']) {
      expect(refusal(JSON.parse(text), ChangeRelyingPartyDto)?.[0]).toBe('E0045R');
    }
  });

  it('copies nothing of more than 16 levels or 500 members', () => {
    const members = (n: number) =>
      Object.fromEntries(Array.from({ length: n }, (_, index) => [`x${index}`, index]));
    expect(refusal({ ...TICKET, more: nested(15) }, TicketDto)).toBeUndefined();
    expect(refusal({ ...TICKET, more: nested(16) }, TicketDto)?.[0]).toBe('E0045R');
    expect(refusal({ ...TICKET, more: nested(20_000) }, TicketDto)?.[0]).toBe('E0045R');
    expect(refusal({ ...TICKET, ...members(498) }, TicketDto)).toBeUndefined();
    expect(refusal({ ...TICKET, ...members(499) }, TicketDto)?.[0]).toBe('E0045R');
  });
});
