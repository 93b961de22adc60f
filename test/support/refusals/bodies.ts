import type { SoftAuthenticatorOptions } from '../../../packages/testing/src/soft-authenticator.js';
import { FLAGS } from '../../../packages/testing/src/structures.js';
import type { RegistrationTweaks, Tweaks } from '../../../packages/testing/src/tweaks.js';
import {
  FOREIGN_ORIGINS,
  FRAMES,
  MISTYPED_CLIENT_DATA,
  NOT_BASE64URL,
  NOT_CLIENT_DATA,
  NOT_OBJECT,
  NOT_TEXT,
  SPOILED_CLIENT_DATA,
  TOKEN_BINDINGS,
} from './malformed.js';

/** The body of a result call as far as tests change it. */
export interface ResultBody {
  readonly id: string;
  readonly rawId: string;
  readonly response: Readonly<Record<string, unknown>>;
}

/** A result call that must be refused: one thing is wrong with it. Its title is a clause, behind "if". */
export interface ResultCase<T extends Tweaks = Tweaks> {
  readonly title: string;
  readonly code: string;
  /** Further members of the begin call. */
  readonly begin?: object;
  /** What the authenticator does wrong. */
  readonly tweaks?: T;
  /** What is wrong with the body. */
  readonly change?: (body: ResultBody) => unknown;
  /** It names a challenge that was never issued to the session: the pending ceremony stays pending. */
  readonly namesAnother?: true;
}

/** A registration that must be refused. */
export interface RegistrationCase extends ResultCase<RegistrationTweaks> {
  readonly device?: SoftAuthenticatorOptions;
}

/** Sets a member of the body; `undefined` leaves it out. */
export const set =
  (members: object) =>
  (body: ResultBody): unknown => ({ ...body, ...members });

/** Sets a member of `response`; `undefined` leaves it out. */
export const setResponse =
  (members: object) =>
  (body: ResultBody): unknown => ({ ...body, response: { ...body.response, ...members } });

const changeId =
  (spoil: (id: string) => unknown) =>
  ({ id, ...body }: ResultBody): unknown => ({ ...body, id: spoil(id), rawId: spoil(id) });

/** Cases of a member of `response` that is text, but not Base64URL. */
export function notBase64Url(member: string, code: string): ResultCase[] {
  return NOT_BASE64URL.map(([title, spoil]) => ({
    title: `${member} has ${title}`,
    code,
    change: (body) => setResponse({ [member]: spoil(String(body.response[member])) })(body),
  }));
}

/** Cases of a member of `response` that is absent or null, and of one that is empty or no text. */
export function missing(member: string, code: string, malformed = code): ResultCase[] {
  const values = [['missing', undefined], ['empty', ''], ...NOT_TEXT] as const;
  return values.map(([title, value]) => ({
    title: `${member} is ${title}`,
    code: value === undefined || value === null ? code : malformed,
    change: setResponse({ [member]: value }),
  }));
}

/** The codes in which the two ceremonies differ. */
interface CeremonyCodes {
  readonly type: readonly [missing: string, notText: string, other: string];
  readonly id: readonly [missing: string, malformed: string];
  readonly response: string;
  readonly rest: string;
  readonly clientData: string;
  readonly tokenBinding: string;
}

/** Format errors of the members around the response. */
export function frameCases({ type, id, response, rest }: CeremonyCodes): ResultCase[] {
  const types = [
    [type[0], undefined],
    [type[0], null],
    [type[1], 1],
    [type[1], ['public-key']],
    [type[2], 'Public-Key'],
    [type[2], 'public-key '],
    [type[2], ''],
  ] as const;
  return [
    ...types.map(([code, value]) => ({
      title: `type is ${JSON.stringify(value) ?? 'missing'}`,
      code,
      change: set({ type: value }),
    })),
    ...[undefined, '', null, 1, ['AQ']].map((value) => ({
      title: `id is ${JSON.stringify(value) ?? 'missing'}`,
      code: value === '' ? id[1] : id[0],
      change: set({ id: value, rawId: value }),
    })),
    ...NOT_BASE64URL.map(([title, spoil]) => ({
      title: `id has ${title}`,
      code: id[1],
      change: changeId(spoil),
    })),
    { title: 'id has 1024 bytes', code: id[1], change: changeId(() => 'A'.repeat(1366)) },
    { title: 'rawId is missing', code: id[1], change: set({ rawId: undefined }) },
    { title: 'rawId differs from id', code: id[1], change: set({ rawId: 'AQ' }) },
    {
      title: 'rawId has a "=" more than id',
      code: id[1],
      change: (body) => set({ rawId: `${body.rawId}=` })(body),
    },
    ...[['missing', undefined] as const, ...NOT_OBJECT].map(([title, value]) => ({
      title: `response is ${title}`,
      code: response,
      change: set({ response: value }),
    })),
    ...['', 1, true, ['platform'], {}].map((value) => ({
      title: `authenticatorAttachment is ${JSON.stringify(value)}`,
      code: rest,
      change: set({ authenticatorAttachment: value }),
    })),
    ...NOT_OBJECT.filter(([, value]) => value !== null).map(([title, value]) => ({
      title: `clientExtensionResults is ${title}`,
      code: rest,
      change: set({ clientExtensionResults: value }),
    })),
  ];
}

/** Client data with a wrong form, or with content that both ceremonies refuse. */
export function clientDataCases({ clientData, tokenBinding }: CeremonyCodes): ResultCase[] {
  const wrongForm: readonly (readonly [title: string, tweaks: Tweaks])[] = [
    ...NOT_CLIENT_DATA.map(
      ([title, bytes]) => [`client data is ${title}`, { clientDataJSON: () => bytes }] as const,
    ),
    ...SPOILED_CLIENT_DATA.map(
      ([title, spoil]) =>
        [
          `client data has ${title}`,
          { clientDataJSON: (bytes: Buffer) => Buffer.from(spoil(`${bytes}`)) },
        ] as const,
    ),
    ...MISTYPED_CLIENT_DATA.map(
      ([title, members]) => [`${title} in client data`, { clientData: { ...members } }] as const,
    ),
  ];
  return [
    ...wrongForm.map(([title, tweaks]) => ({ title, code: clientData, tweaks })),
    {
      title: 'challenge is not Base64URL in client data',
      code: clientData,
      tweaks: { clientData: { challenge: 'AAAA==' } },
      namesAnother: true,
    },
    ...TOKEN_BINDINGS.map(([title, value]) => ({
      title: `tokenBinding is ${title} in client data`,
      code: tokenBinding,
      tweaks: { clientData: { tokenBinding: value } },
    })),
    ...['payment.get', 'Webauthn.Get', 'webauthn.get ', 'webauthn.create\0'].map((type) => ({
      title: `type is ${JSON.stringify(type)} in client data`,
      code: 'E0027R',
      tweaks: { clientData: { type } },
    })),
    ...['AAAA', 'A'.repeat(43), 'A'.repeat(4000), 'A'.repeat(24_000)].map((challenge) => ({
      title: `challenge is another one of ${challenge.length} letters in client data`,
      code: 'E0028R',
      tweaks: { clientData: { challenge } },
      namesAnother: true as const,
    })),
    ...FOREIGN_ORIGINS.map((origin) => ({
      title: `origin is ${JSON.stringify(origin)} in client data`,
      code: 'E0029R',
      tweaks: { clientData: { origin } },
    })),
    ...FRAMES.map(([title, members]) => ({
      title,
      code: 'E0029R',
      tweaks: { clientData: { ...members } },
    })),
  ];
}

/** Well-formed authenticator data that both ceremonies refuse. */
export const AUTHENTICATOR_DATA_CASES: readonly ResultCase[] = [
  {
    title: 'the RP ID hash is another one',
    code: 'E0030R',
    tweaks: { rpIdHash: Buffer.alloc(32, 7) },
  },
  {
    title: 'the RP ID hash consists of zeros',
    code: 'E0030R',
    tweaks: { rpIdHash: Buffer.alloc(32) },
  },
  { title: 'UP and UV are clear', code: 'E0031R', tweaks: { flags: () => 0 } },
  { title: 'UP is clear and UV is set', code: 'E0031R', tweaks: { flags: () => FLAGS.UV } },
  {
    title: 'UV is clear although it was required',
    code: 'E0031R',
    begin: { userVerification: 'required' },
    tweaks: { flags: () => FLAGS.UP },
  },
  {
    title: 'BS is set without BE',
    code: 'E0031R',
    tweaks: { flags: () => FLAGS.UP | FLAGS.UV | FLAGS.BS },
  },
];
