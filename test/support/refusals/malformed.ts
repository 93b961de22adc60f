type Rule = readonly [title: string, value: unknown];

/** Ways to write Base64URL wrongly (RFC 4648 §5, canonical, unpadded), of a right text. */
export const NOT_BASE64URL: readonly (readonly [title: string, spoil: (text: string) => string])[] =
  [
    ['B01 one =', (text) => `${text}=`],
    ['B01 two =', (text) => `${text}==`],
    ['B02 standard alphabet +', (text) => `+${text.slice(1)}`],
    ['B02 standard alphabet /', (text) => `/${text.slice(1)}`],
    ['B04 leading space', (text) => ` ${text}`],
    ['B04 new line at the end', (text) => `${text}\r\n`],
    ['B04 tab inside', (text) => `${text.slice(0, 4)}\t${text.slice(4)}`],
    ['B05 another sign', (text) => `!${text.slice(1)}`],
    ['B05 percent encoding', (text) => `%2B${text.slice(3)}`],
    ['B06 impossible length', () => 'AAAAA'],
    ['B07 bits behind the last byte', () => 'AR'],
    ['B08 NUL', (text) => `${text}\0`],
    ['B08 full-width letters', () => 'ＡＱ'],
    ['B09 = inside', (text) => `${text.slice(0, 2)}=${text.slice(3)}`],
    ['B10 only =', () => '===='],
    ['B12 data URL', (text) => `data:;base64,${text}`],
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
  ['C01 not JSON', Buffer.from('hello')],
  ['C01 null', Buffer.from('null')],
  ['C01 an array', Buffer.from('[]')],
  ['C01 text', Buffer.from('"x"')],
  ['C02 invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ['C02 overlong UTF-8', Buffer.from([0x7b, 0xc0, 0x80, 0x7d])],
  ['C04 UTF-16', Buffer.from('\uFEFF{}', 'utf16le')],
  ['C08 an empty object', Buffer.from('{}')],
];

/** Changes of client data as written: each keeps what it does not name. */
export const SPOILED_CLIENT_DATA: readonly (readonly [
  title: string,
  spoil: (text: string) => string,
])[] = [
  ['C04 two byte order marks', (text) => `\uFEFF\uFEFF${text}`],
  ['C05 bytes behind it', (text) => `${text}x`],
  ['C05 NUL behind it', (text) => `${text}\0`],
  ['B13 encoded twice', (text) => Buffer.from(text).toString('base64url')],
  ['C06 two types', (text) => text.replace('{', '{"type":"webauthn.get",')],
  ['C06 two challenges', (text) => text.replace('{', '{"challenge":"AAAA",')],
  ['C06 two origins', (text) => text.replace('{', '{"origin":"https://evil.example",')],
];

/** Members of client data with values of another type. */
export const MISTYPED_CLIENT_DATA: readonly (readonly [title: string, members: object])[] = [
  ['C08 type missing', { type: undefined }],
  ['C08 type null', { type: null }],
  ['C08 type an array', { type: ['webauthn.create'] }],
  ['C12 challenge missing', { challenge: undefined }],
  ['C12 challenge empty', { challenge: '' }],
  ['C12 challenge a number', { challenge: 1 }],
  ['C33 origin missing', { origin: undefined }],
  ['C33 origin null', { origin: null }],
  ['C33 origin empty', { origin: '' }],
  ['C33 origin an array', { origin: ['http://localhost'] }],
  ['C42 crossOrigin text', { crossOrigin: 'true' }],
  ['C42 crossOrigin a number', { crossOrigin: 1 }],
  ['C42 crossOrigin null', { crossOrigin: null }],
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
  ['C41 crossOrigin', { crossOrigin: true }],
  ['C43 topOrigin without crossOrigin', { topOrigin: 'https://top.example' }],
  ['C44 topOrigin that is not listed', { crossOrigin: true, topOrigin: 'https://top.example' }],
];
