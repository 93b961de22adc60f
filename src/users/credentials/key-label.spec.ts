import { plainText, type Language } from '../../platform/pages/languages/languages.js';
import { deviceName, withLabels, type LabelledKey } from './key-label.js';

const ICLOUD = 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd';
const YUBIKEY = 'ee882879-721c-4913-9775-3dfcce97072a';
const NAMES = new Map([
  [ICLOUD, 'Apple Passwords'],
  [YUBIKEY, 'YubiKey 5 Series'],
]);
const models = { name: (aaguid: string) => NAMES.get(aaguid) ?? null };
const bytes = (aaguid: string) => Buffer.from(aaguid.replaceAll('-', ''), 'hex');

const key = (facts: Partial<LabelledKey> = {}): LabelledKey => ({
  deviceName: 'Security key',
  aaguid: Buffer.alloc(16),
  transports: '',
  attestationFormat: 'none',
  backupEligible: false,
  ...facts,
});
const shown = (
  keys: readonly LabelledKey[],
  { language = 'en', here }: { language?: Language; here?: LabelledKey } = {},
) =>
  withLabels(keys, models, (one) => one === here).map(({ label }) =>
    typeof label === 'string' ? label : plainText(language, label),
  );

const SYNCED = { transports: 'internal,hybrid', backupEligible: true };

describe('the label of a key', () => {
  it.each<[string, Partial<LabelledKey>, string]>([
    ['an unknown key over USB', { transports: 'usb,nfc' }, 'USB security key'],
    ['a card over NFC', { transports: 'nfc' }, 'NFC security key'],
    ['a key by Bluetooth', { transports: 'ble' }, 'Bluetooth security key'],
    ['a smart card', { transports: 'smart-card' }, 'Smart card'],
    ['a fingerprint reader', { transports: 'internal' }, 'Phone or computer'],
    ['a TPM whose browser named no transports', { attestationFormat: 'tpm' }, 'Phone or computer'],
    ['a phone by QR code', { transports: 'hybrid' }, 'Phone'],
    [
      'a U2F key whose browser named no transports',
      { attestationFormat: 'fido-u2f' },
      'Security key',
    ],
    ['a key without any known fact', {}, 'Passkey'],
    ['a synced key of an unknown provider', SYNCED, 'Synced passkey'],
    [
      'a synced key of a known provider',
      { ...SYNCED, aaguid: bytes(ICLOUD), deviceName: 'Apple Passwords' },
      'Passkey in iCloud Keychain',
    ],
    [
      'a key registered before its provider was known',
      { ...SYNCED, aaguid: bytes(ICLOUD) },
      'Passkey in iCloud Keychain',
    ],
    [
      'a security key of a known model',
      { transports: 'usb', aaguid: bytes(YUBIKEY), deviceName: 'YubiKey 5 Series' },
      'YubiKey 5 Series',
    ],
    ['a key that its user named', { transports: 'usb', deviceName: 'Blue (2)' }, 'Blue (2)'],
  ])('labels a key: %s', (_, facts, label) => {
    expect(shown([key(facts)])).toEqual([label]);
  });

  it('labels as "This device" only a built-in key with which the reader signed in', () => {
    const internal = key({ transports: 'internal' });
    const usb = key({ transports: 'usb' });
    const synced = key(SYNCED);
    expect(shown([internal], { here: internal })).toEqual(['This device']);
    expect(shown([internal], { here: internal, language: 'de' })).toEqual(['Dieses Gerät']);
    expect(shown([usb], { here: usb })).toEqual(['USB security key']);
    expect(shown([synced], { here: synced })).toEqual(['Synced passkey']);
  });

  it('adds the number of the stored name to a label only if another label is the same', () => {
    const usb = key({ transports: 'usb' });
    const second = { deviceName: 'Security key (2)' };
    expect(shown([usb, key({ ...second, transports: 'usb' })], { language: 'de' })).toEqual([
      'USB-Sicherheitsschlüssel',
      'USB-Sicherheitsschlüssel (2)',
    ]);
    expect(shown([usb, key({ ...second, transports: 'internal' })])).toEqual([
      'USB security key',
      'Phone or computer',
    ]);
  });
});

describe('the name and transports of a key', () => {
  const UNKNOWN = null;
  const MODEL = 'YubiKey 5 Series with NFC KVZR57';

  it.each([
    ['{"name":"Blue key","deviceName":"Other"}', UNKNOWN, 'Blue key'],
    ['{"deviceName":"Other"}', UNKNOWN, 'Other'],
    ['{"name":7,"deviceName":"Other"}', MODEL, 'Other'],
    ['{"name":"\\u202e"}', UNKNOWN, 'Security key'],
    [null, MODEL, 'YubiKey 5 Series with NFC KVZR57'],
    [null, UNKNOWN, 'Security key'],
  ])('names a key with keypair %p and model %j %s', (keypair, model, name) => {
    expect(deviceName(keypair, model, [])).toBe(name);
  });

  it('adds a number if the user already has a key of that name', () => {
    const existing = [{ deviceName: 'Security key' }, { deviceName: 'Security key (2)' }];
    expect(deviceName(null, UNKNOWN, existing)).toBe('Security key (3)');
  });
});
