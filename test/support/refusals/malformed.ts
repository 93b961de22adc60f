type Rule = readonly [title: string, value: unknown];

/** Ways to write Base64URL wrongly (RFC 4648 §5, canonical, unpadded), of a right text. */
export const NOT_BASE64URL: readonly (readonly [title: string, spoil: (text: string) => string])[] =
  [
    ['one = (B01)', (text) => `${text}=`],
    ['two = (B01)', (text) => `${text}==`],
    ['standard alphabet + (B02)', (text) => `+${text.slice(1)}`],
    ['standard alphabet / (B02)', (text) => `/${text.slice(1)}`],
    ['leading space (B04)', (text) => ` ${text}`],
    ['new line at the end (B04)', (text) => `${text}\r\n`],
    ['tab inside (B04)', (text) => `${text.slice(0, 4)}\t${text.slice(4)}`],
    ['another sign (B05)', (text) => `!${text.slice(1)}`],
    ['percent encoding (B05)', (text) => `%2B${text.slice(3)}`],
    ['impossible length (B06)', () => 'AAAAA'],
    ['bits behind the last byte (B07)', () => 'AR'],
    ['NUL (B08)', (text) => `${text}\0`],
    ['full-width letters (B08)', () => 'ＡＱ'],
    ['= inside (B09)', (text) => `${text.slice(0, 2)}=${text.slice(3)}`],
    ['only = (B10)', () => '===='],
    ['data URL (B12)', (text) => `data:;base64,${text}`],
  ];

/** Values that are no text, of any kind that JSON has. */
export const NOT_TEXT: readonly Rule[] = [
  ['null', null],
  ['a number', 1],
  ['an object (B14)', { type: 'Buffer', data: [1] }],
  ['an array (B14)', [1, 2, 3]],
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
  ['not JSON (C01)', Buffer.from('hello')],
  ['null (C01)', Buffer.from('null')],
  ['an array (C01)', Buffer.from('[]')],
  ['text (C01)', Buffer.from('"x"')],
  ['invalid UTF-8 (C02)', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ['overlong UTF-8 (C02)', Buffer.from([0x7b, 0xc0, 0x80, 0x7d])],
  ['UTF-16 (C04)', Buffer.from('\uFEFF{}', 'utf16le')],
  ['an empty object (C08)', Buffer.from('{}')],
];

/** Changes of client data as written: each keeps what it does not name. */
export const SPOILED_CLIENT_DATA: readonly (readonly [
  title: string,
  spoil: (text: string) => string,
])[] = [
  ['two byte order marks (C04)', (text) => `\uFEFF\uFEFF${text}`],
  ['bytes behind it (C05)', (text) => `${text}x`],
  ['NUL behind it (C05)', (text) => `${text}\0`],
  ['encoded twice (B13)', (text) => Buffer.from(text).toString('base64url')],
  ['two types (C06)', (text) => text.replace('{', '{"type":"webauthn.get",')],
  ['two challenges (C06)', (text) => text.replace('{', '{"challenge":"AAAA",')],
  ['two origins (C06)', (text) => text.replace('{', '{"origin":"https://evil.example",')],
];

/** Members of client data with values of another type. */
export const MISTYPED_CLIENT_DATA: readonly (readonly [title: string, members: object])[] = [
  ['type missing (C08)', { type: undefined }],
  ['type null (C08)', { type: null }],
  ['type an array (C08)', { type: ['webauthn.create'] }],
  ['challenge missing (C12)', { challenge: undefined }],
  ['challenge empty (C12)', { challenge: '' }],
  ['challenge a number (C12)', { challenge: 1 }],
  ['origin missing (C33)', { origin: undefined }],
  ['origin null (C33)', { origin: null }],
  ['origin empty (C33)', { origin: '' }],
  ['origin an array (C33)', { origin: ['http://localhost'] }],
  ['crossOrigin text (C42)', { crossOrigin: 'true' }],
  ['crossOrigin a number (C42)', { crossOrigin: 1 }],
  ['crossOrigin null (C42)', { crossOrigin: null }],
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
  ['crossOrigin (C41)', { crossOrigin: true }],
  ['topOrigin without crossOrigin (C43)', { topOrigin: 'https://top.example' }],
  ['topOrigin that is not listed (C44)', { crossOrigin: true, topOrigin: 'https://top.example' }],
];
