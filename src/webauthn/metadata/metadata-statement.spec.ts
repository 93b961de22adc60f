import { MetadataError } from './metadata-error.js';
import { readStatement } from './metadata-statement.js';

const PNG = Buffer.from('iVBORw0KGgo=', 'base64');

function faultOf(value: unknown): string | undefined {
  try {
    readStatement(value);
    return undefined;
  } catch (error) {
    if (error instanceof MetadataError) return error.fault;
    throw error;
  }
}

describe('readStatement', () => {
  it.each([
    ['secp256r1_ecdsa_sha256_raw', [-7, -9]],
    ['secp256r1_ecdsa_sha256_der', [-7, -9]],
    ['secp256k1_ecdsa_sha256_raw', [-47]],
    ['secp256k1_ecdsa_sha256_der', [-47]],
    ['secp384r1_ecdsa_sha384_raw', [-35, -51]],
    ['secp521r1_ecdsa_sha512_raw', [-36, -52]],
    ['secp512r1_ecdsa_sha256_raw', [-36, -52]],
    ['rsassa_pss_sha256_raw', [-37]],
    ['rsassa_pss_sha256_der', [-37]],
    ['rsassa_pss_sha384_raw', [-38]],
    ['rsassa_pss_sha512_raw', [-39]],
    ['rsassa_pkcsv15_sha256_raw', [-257]],
    ['rsassa_pkcsv15_sha384_raw', [-258]],
    ['rsassa_pkcsv15_sha512_raw', [-259]],
    ['rsassa_pkcsv15_sha1_raw', [-65535]],
    ['rsa_emsa_pkcs1_sha256_raw', [-257]],
    ['rsa_emsa_pkcs1_sha256_der', [-257]],
    ['ed25519_eddsa_sha512_raw', [-8, -19]],
    ['ed448_eddsa_sha512_raw', [-53]],
    ['ml_dsa_44', [-48]],
    ['ml_dsa_65', [-49]],
    ['ml_dsa_87', [-50]],
    ['sm2_sm3_raw', []],
  ])('reads the algorithm %s as %j (FIDO Registry §3.6.1)', (name, algorithms) => {
    expect(readStatement({ authenticationAlgorithms: [name] }).algorithms).toEqual(algorithms);
  });

  it('adds the algorithms of authenticatorGetInfo to those of the statement', () => {
    const getInfo = { algorithms: [{ type: 'public-key', alg: -8 }, { type: 'public-key' }] };
    const statement = readStatement({
      authenticationAlgorithms: ['ml_dsa_44'],
      authenticatorGetInfo: getInfo,
    });
    expect(statement.algorithms).toEqual([-48, -8]);
    expect(statement.getInfo).toEqual(getInfo);
  });

  it('reads protections as words and ignores the numbers of earlier versions', () => {
    const { keyProtection, matcherProtection } = readStatement({
      keyProtection: ['hardware', 'tee'],
      matcherProtection: 4,
    });
    expect([keyProtection, matcherProtection]).toEqual([['hardware', 'tee'], []]);
    expect(readStatement({ keyProtection: [2, 'tee'] }).keyProtection).toEqual(['tee']);
  });

  it('accepts a metadata statement without any member', () => {
    expect(readStatement({})).toEqual({
      description: '',
      attestationTypes: [],
      keyProtection: [],
      matcherProtection: [],
      algorithms: [],
      roots: [],
      icon: undefined,
      getInfo: undefined,
    });
  });

  it('reads the description, types and roots, whose Base64 may contain line breaks', () => {
    const statement = readStatement({
      description: 'A key',
      attestationTypes: ['basic_full', 'attca'],
      attestationRootCertificates: [' AQID\n BAU= '],
    });
    expect(statement).toMatchObject({
      description: 'A key',
      attestationTypes: ['basic_full', 'attca'],
      roots: [Buffer.of(1, 2, 3, 4, 5)],
    });
  });

  it('keeps the icon as bytes with its type', () => {
    const icon = `data:image/svg+xml;base64,${PNG.toString('base64')}`;
    expect(readStatement({ icon }).icon).toEqual({ type: 'image/svg+xml', bytes: PNG });
  });

  it.each([
    'https://example.com/icon.png',
    'xdata:image/png;base64,AAAA',
    'data:text/html;base64,AAAA',
    'data:image/png,AAAA',
    'data:image/;base64,AAAA',
    '',
  ])('ignores the invalid picture %j', (icon) => {
    expect(readStatement({ icon }).icon).toBeUndefined();
  });

  it('skips a description or picture of another type, and null for an optional member', () => {
    const skipped: string[] = [];
    const value = { description: 1, icon: {}, authenticatorGetInfo: null, attestationTypes: ['x'] };
    expect(readStatement(value, (detail) => skipped.push(detail))).toMatchObject({
      description: '',
      icon: undefined,
      getInfo: undefined,
      attestationTypes: ['x'],
    });
    expect(skipped).toEqual([
      'authenticatorGetInfo is null',
      'description is not text: 1',
      'icon is not text: {}',
    ]);
  });

  it.each([
    ['a statement that is an array', []],
    ['a statement that is null', null],
    ['attestationTypes that are text', { attestationTypes: 'basic_full' }],
    ['attestationTypes of numbers', { attestationTypes: [1] }],
    ['algorithms that are text', { authenticatorGetInfo: { algorithms: 'x' } }],
    ['an algorithm that is not an object', { authenticatorGetInfo: { algorithms: [-7] } }],
    ['authenticatorGetInfo that is text', { authenticatorGetInfo: 'x' }],
    ['attestationTypes that are null', { attestationTypes: null }],
    ['an authenticatorVersion that is text', { authenticatorVersion: '6' }],
  ])('refuses a metadata statement: %s', (_, value) => {
    expect(faultOf(value)).toBe('payload');
  });
});
