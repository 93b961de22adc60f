/** A begin call that must be refused. */
export interface BeginCase {
  readonly title: string;
  readonly code: string;
  readonly call: 'beginRegistration' | 'beginAuthentication';
  /** Members over those of a good call; `undefined` leaves one out. */
  readonly members?: object;
  /** The whole body, where it is not a good one with other members. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const shown = (value: unknown) => (JSON.stringify(value) ?? 'missing').slice(0, 40);

/** Cases of one field with many values. */
function field(
  rule: string,
  name: string,
  values: readonly unknown[],
  call: BeginCase['call'] = 'beginRegistration',
): BeginCase[] {
  return values.map((value) => ({
    title: `${rule} ${name} is ${shown(value)}`,
    code: 'E0001R',
    call,
    members: { [name]: value },
  }));
}

const NOT_DISPLAY_NAMES = [
  ...[undefined, '', '   ', '\t', '\u200b', null, 1, true, [], {}, ['victim'], { $ne: null }],
  ...['a\u0000b', 'a\nb', 'a\u202eb', '\ud800', 'a\udfff'],
  ...['x'.repeat(256), 'ü'.repeat(128), '\u{1F511}'.repeat(64)],
];
/** A name for signing in has no white space around it, and no joiners. */
const NOT_NAMES = [...NOT_DISPLAY_NAMES, ' alice', 'alice ', 'a\u200db'];
const NOT_REQUIREMENTS = ['REQUIRED', ' required', '', ['required'], 'none', true];

const FIELDS: readonly BeginCase[] = [
  ...field('J12, J13, J17, J19', 'username', NOT_NAMES),
  ...field('J12, J13, J17, J19', 'username', NOT_NAMES, 'beginAuthentication'),
  ...field('J12, J13, J20, UN09', 'displayName', NOT_DISPLAY_NAMES),
  ...field('J22', 'userVerification', NOT_REQUIREMENTS),
  ...field('J22', 'userVerification', NOT_REQUIREMENTS, 'beginAuthentication'),
  ...field('J23', 'attestation', ['enterprise', 'DIRECT', '', 1]),
  ...field('J24', 'attachment', ['hybrid', 'ALL', ['all']]),
  ...field('J25', 'algorithms', [
    ...[[], 'es256', [null], ['none'], ['rs1'], ['hs256'], [-65535], [1.5], [['es256']]],
    Array.from({ length: 21 }, () => 'es256'),
  ]),
  ...field('J26', 'discoverable_credential', [true, 'yes', '']),
  ...field('J26', 'residentKey', [true, 'yes', '']),
  ...field('J26', 'requireResidentKey', ['true', 1]),
  ...field('J24', 'authenticatorAttachment', ['usb', 'ALL', ['all']]),
  ...field('J27', 'authenticatorSelection', [
    ...['x', [], { requireResidentKey: 'true' }, { userVerification: 'REQUIRED' }],
    ...[{ residentKey: true }, { authenticatorAttachment: 'usb' }],
  ]),
  ...field('extensions', 'extensions', [
    ...['x', [], { credProtect: 4 }, { credProtect: '2' }, { credProps: 'yes' }],
    ...[
      { prf: true },
      { appid: 1 },
      { appidExclude: 'https://localhost' },
      { note: 'x'.repeat(2048) },
    ],
  ]),
  ...field('hints', 'hints', ['hybrid', ['usb'], [1]]),
  ...field('hints', 'hints', ['hybrid', ['usb'], [1]], 'beginAuthentication'),
  ...field('J27', 'authenticatorSelection', ['x', []], 'beginAuthentication'),
  ...field('tickets', 'ticket', [1, {}]),
];

const nested = (levels: number): unknown =>
  JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));

const KEYPAIRS: readonly BeginCase[] = [
  'str',
  '{bad',
  '[1]',
  1,
  [],
  true,
  nested(9),
  nested(500),
  { note: 'x'.repeat(4096) },
  JSON.stringify({ note: 'x'.repeat(4096) }),
].map((keypair) => ({
  title: `keypair is ${shown(keypair)} (J29–J30)`,
  code: 'E0023R',
  call: 'beginRegistration',
  members: { keypair },
}));

const BODIES = [
  ['empty (J01)', ''],
  ['null (J02)', 'null'],
  ['an array (J02)', '[]'],
  ['text (J02)', '"x"'],
  ['a number (J02)', '1'],
  ['true (J02)', 'true'],
  ['cut (J03)', '{"username":"alice"'],
  ['two objects (J03)', '{} {}'],
  ['a comma too many (J03)', '{"username":"alice",}'],
  ['NaN (J03)', '{"username":NaN}'],
  ['single quotes (J03)', "{'username':'alice'}"],
  ['invalid UTF-8 (J11)', Buffer.from('{"username":"\xff"}', 'latin1')],
  ['only __proto__ (J15)', '{"__proto__":{"username":"alice","displayName":"a"}}'],
  ['wrong types and __proto__ (J18)', '{"username":1,"displayName":2,"__proto__":{}}'],
  ['a name of 60 KB (J33)', `{"${'x'.repeat(60_000)}":1}`],
  ['a number of 60,000 digits (J33)', `{"x":${'9'.repeat(60_000)}}`],
  ['6,000 members (J33)', `{${Array.from({ length: 6000 }, (_, n) => `"${n}":1`).join()}}`],
  ['20,000 nested arrays (J32)', `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
] as const;

const WHOLE_BODIES: readonly BeginCase[] = BODIES.flatMap(([title, body]) => [
  { title, code: 'E0001R', call: 'beginRegistration', body },
  { title, code: 'E0001R', call: 'beginAuthentication', body },
]);

/** Values of X-ServiceFido-RelyingParty, and their refusals. */
const HEADERS = {
  E0025R: ['unknown.example', 'com', 'https://unknown.example/path', 'constructor'],
  E0026R: [
    '__proto__',
    ...['', 'a.com, b.com', ',', 'two words', 'a..b', '-a.com', 'a-.com', 'under_score.com'],
    ...['127.0.0.1', '[::1]', '2130706433', 'localhost.', '*', '*.localhost', "' OR 1=1--"],
    ...['https://evil@localhost', 'https://localhost@evil.example', 'localhost#evil'],
    ...[
      'localhost\\evil',
      'localhost%2eevil.example',
      '../../etc',
      '{{7*7}}',
      'm\u00fcnchen.example',
    ],
    ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(126)}aa`],
  ],
} as const;

const RELYING_PARTIES: readonly BeginCase[] = Object.entries(HEADERS).flatMap(([code, values]) =>
  values.flatMap((value) =>
    (['beginRegistration', 'beginAuthentication'] as const).map((call) => ({
      title: `the header names ${shown(value)} (RP01–RP12)`,
      code,
      call,
      headers: { 'x-servicefido-relyingparty': value },
    })),
  ),
);

/** Refusals of the begin calls that need no preparation. */
export const BEGIN_CASES: readonly BeginCase[] = [
  ...FIELDS,
  ...KEYPAIRS,
  ...WHOLE_BODIES,
  ...RELYING_PARTIES,
];
