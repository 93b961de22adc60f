import { deviceName, knownTransports } from './device-name.js';

const UNKNOWN = null;
const YUBIKEY = 'YubiKey 5 Series with NFC KVZR57';

describe('device name', () => {
  it.each([
    ['{"name":"Blue key","deviceName":"Other"}', UNKNOWN, 'Blue key'],
    ['{"deviceName":"Other"}', UNKNOWN, 'Other'],
    ['{"name":7,"deviceName":"Other"}', YUBIKEY, 'Other'],
    ['{"name":"\\u202e"}', UNKNOWN, 'Security key'],
    [null, YUBIKEY, 'YubiKey 5 Series with NFC KVZR57'],
    [null, UNKNOWN, 'Security key'],
  ])('of keypair %p and model %s is %s', (keypair, model, name) => {
    expect(deviceName(keypair, model, [])).toBe(name);
  });

  it('gets a number if the user already has a key of that name', () => {
    const existing = [{ deviceName: 'Security key' }, { deviceName: 'Security key (2)' }];
    expect(deviceName(null, UNKNOWN, existing)).toBe('Security key (3)');
  });

  it('keeps each known transport once (J47)', () => {
    expect(knownTransports(['usb', 'nfc', 'usb', '<script>', 'internal'])).toBe('usb,nfc,internal');
    expect(knownTransports()).toBe('');
  });
});
