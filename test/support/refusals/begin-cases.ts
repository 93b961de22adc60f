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

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
}

/** Cases of one field with many values. */
function field(
  name: string,
  values: readonly unknown[],
  call: BeginCase['call'] = 'beginRegistration',
): BeginCase[] {
  return values.map((value) => ({
    title: `${name} is ${shown(value)}`,
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
  ...field('username', NOT_NAMES),
  ...field('username', NOT_NAMES, 'beginAuthentication'),
  ...field('displayName', NOT_DISPLAY_NAMES),
  ...field('userVerification', NOT_REQUIREMENTS),
  ...field('userVerification', NOT_REQUIREMENTS, 'beginAuthentication'),
  ...field('attestation', ['enterprise', 'DIRECT', '', 1]),
  ...field('attachment', ['hybrid', 'ALL', ['all']]),
  ...field('algorithms', [
    ...[[], 'es256', [null], ['none'], ['rs1'], ['hs256'], [-65535], [1.5], [['es256']]],
    Array.from({ length: 21 }, () => 'es256'),
  ]),
  ...field('discoverable_credential', [true, 'yes', '']),
  ...field('residentKey', [true, 'yes', '']),
  ...field('requireResidentKey', ['true', 1]),
  ...field('authenticatorAttachment', ['usb', 'ALL', ['all']]),
  ...field('authenticatorSelection', [
    ...['x', [], { requireResidentKey: 'true' }, { userVerification: 'REQUIRED' }],
    ...[{ residentKey: true }, { authenticatorAttachment: 'usb' }],
  ]),
  ...field('extensions', [
    ...['x', [], { credProtect: 4 }, { credProtect: '2' }, { credProps: 'yes' }],
    ...[
      { prf: true },
      { appid: 1 },
      { appidExclude: 'https://localhost' },
      { note: 'x'.repeat(2048) },
    ],
  ]),
  ...field('hints', ['hybrid', ['usb'], [1]]),
  ...field('hints', ['hybrid', ['usb'], [1]], 'beginAuthentication'),
  ...field('authenticatorSelection', ['x', []], 'beginAuthentication'),
  ...field('ticket', [1, {}]),
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
  title: `keypair is ${shown(keypair)}`,
  code: 'E0023R',
  call: 'beginRegistration',
  members: { keypair },
}));

const BODIES = [
  ['empty', ''],
  ['null', 'null'],
  ['an array', '[]'],
  ['a text', '"x"'],
  ['a number', '1'],
  ['true', 'true'],
  ['truncated', '{"username":"alice"'],
  ['two objects', '{} {}'],
  ['an object with a comma too many', '{"username":"alice",}'],
  ['an object with NaN', '{"username":NaN}'],
  ['an object in single quotes', "{'username':'alice'}"],
  ['invalid UTF-8', Buffer.from('{"username":"\xff"}', 'latin1')],
  ['an object with only __proto__', '{"__proto__":{"username":"alice","displayName":"a"}}'],
  ['an object with wrong types and __proto__', '{"username":1,"displayName":2,"__proto__":{}}'],
  ['an object with a name of 60 KB', `{"${'x'.repeat(60_000)}":1}`],
  ['an object with a number of 60,000 digits', `{"x":${'9'.repeat(60_000)}}`],
  [
    'an object with 6,000 members',
    `{${Array.from({ length: 6000 }, (_, n) => `"${n}":1`).join()}}`,
  ],
  ['an object with 20,000 nested arrays', `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
] as const;

const WHOLE_BODIES: readonly BeginCase[] = BODIES.flatMap(([title, body]) => [
  { title: `the body is ${title}`, code: 'E0001R', call: 'beginRegistration', body },
  { title: `the body is ${title}`, code: 'E0001R', call: 'beginAuthentication', body },
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
      title: `X-ServiceFido-RelyingParty is ${shown(value)}`,
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
