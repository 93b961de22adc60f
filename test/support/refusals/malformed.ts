type Rule = readonly [title: string, value: unknown];

/** Ways to write Base64URL wrongly (RFC 4648 §5, canonical, unpadded), of a right text. */
export const NOT_BASE64URL: readonly (readonly [title: string, spoil: (text: string) => string])[] =
  [
    ['one "=" at the end', (text) => `${text}=`],
    ['two "=" at the end', (text) => `${text}==`],
    ['a "+" of the standard alphabet', (text) => `+${text.slice(1)}`],
    ['a "/" of the standard alphabet', (text) => `/${text.slice(1)}`],
    ['a leading space', (text) => ` ${text}`],
    ['a line break at the end', (text) => `${text}\r\n`],
    ['a tab inside', (text) => `${text.slice(0, 4)}\t${text.slice(4)}`],
    ['a "!"', (text) => `!${text.slice(1)}`],
    ['a percent encoding', (text) => `%2B${text.slice(3)}`],
    ['an impossible length', () => 'AAAAA'],
    ['bits behind the last byte', () => 'AR'],
    ['a NUL at the end', (text) => `${text}\0`],
    ['full-width letters', () => 'ＡＱ'],
    ['a "=" inside', (text) => `${text.slice(0, 2)}=${text.slice(3)}`],
    ['only "="', () => '===='],
    ['the form of a data URL', (text) => `data:;base64,${text}`],
  ];

/** Values that are no text, of any kind that JSON has. */
export const NOT_TEXT: readonly Rule[] = [
  ['null', null],
  ['a number', 1],
  ['an object', { type: 'Buffer', data: [1] }],
  ['an array', [1, 2, 3]],
];

/** Values that are no object. */
export const NOT_OBJECT: readonly Rule[] = [
  ['null', null],
  ['text', 'x'],
  ['an array', []],
  ['a number', 1],
];

/** Client data that is not the JSON object that both ceremonies expect. */
export const NOT_CLIENT_DATA: readonly (readonly [title: string, bytes: Buffer])[] = [
  ['not JSON', Buffer.from('hello')],
  ['null', Buffer.from('null')],
  ['an array', Buffer.from('[]')],
  ['a text', Buffer.from('"x"')],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ['overlong UTF-8', Buffer.from([0x7b, 0xc0, 0x80, 0x7d])],
  ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le')],
  ['an empty object', Buffer.from('{}')],
];

/** Changes of client data as written: each keeps what it does not name. */
export const SPOILED_CLIENT_DATA: readonly (readonly [
  title: string,
  spoil: (text: string) => string,
])[] = [
  ['two byte order marks', (text) => `\uFEFF\uFEFF${text}`],
  ['a byte behind it', (text) => `${text}x`],
  ['a NUL behind it', (text) => `${text}\0`],
  ['two encodings', (text) => Buffer.from(text).toString('base64url')],
  ['two types', (text) => text.replace('{', '{"type":"webauthn.get",')],
  ['two challenges', (text) => text.replace('{', '{"challenge":"AAAA",')],
  ['two origins', (text) => text.replace('{', '{"origin":"https://evil.example",')],
];

/** Members of client data with values of another type. */
export const MISTYPED_CLIENT_DATA: readonly (readonly [title: string, members: object])[] = [
  ['type is missing', { type: undefined }],
  ['type is null', { type: null }],
  ['type is an array', { type: ['webauthn.create'] }],
  ['challenge is missing', { challenge: undefined }],
  ['challenge is empty', { challenge: '' }],
  ['challenge is a number', { challenge: 1 }],
  ['origin is missing', { origin: undefined }],
  ['origin is null', { origin: null }],
  ['origin is empty', { origin: '' }],
  ['origin is an array', { origin: ['http://localhost'] }],
  ['crossOrigin is a text', { crossOrigin: 'true' }],
  ['crossOrigin is a number', { crossOrigin: 1 }],
  ['crossOrigin is null', { crossOrigin: null }],
];

/** Token bindings: their presence is what is refused. */
export const TOKEN_BINDINGS: readonly Rule[] = [
  ['present', { status: 'present', id: 'x' }],
  ['supported', { status: 'supported' }],
  ['empty', {}],
  ['text', 'x'],
  ['null', null],
];

/** Origins that a relying party of `http://localhost:*` and `https://localhost:*` does not allow. */
export const FOREIGN_ORIGINS: readonly string[] = [
  'ftp://localhost',
  'wss://localhost',
  'https://a.localhost',
  'https://localhost.evil.example',
  'https://evillocalhost',
  'https://localhost-evil.example',
  'https://localhost.',
  'HTTPS://LOCALHOST',
  'https://localhost@evil.example',
  'https://localhost:pw@evil.example',
  'https://localhost/',
  'https://localhost#f',
  'https://localhost?q',
  'https:\\\\localhost',
  'https:localhost',
  '//localhost',
  'localhost',
  ' https://localhost',
  'https://localhost\n',
  'https://localhost:99999',
  'https://localhost:0',
  'https://localhost:',
  'null',
  'file://',
  'android:apk-key-hash:AAAA',
  'https://127.0.0.1',
  'https://[::1]',
  'https://localhost%2eevil.example',
  'https://*',
  'https://neighbour.example',
];

/** Frames that no policy allows. */
export const FRAMES: readonly (readonly [title: string, members: object])[] = [
  ['crossOrigin is true', { crossOrigin: true }],
  ['topOrigin is present without crossOrigin', { topOrigin: 'https://top.example' }],
  ['topOrigin is not listed', { crossOrigin: true, topOrigin: 'https://top.example' }],
];
