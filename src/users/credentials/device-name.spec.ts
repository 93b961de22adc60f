import { deviceName, knownTransports } from './device-name.js';

const UNKNOWN = null;
const YUBIKEY = 'YubiKey 5 Series with NFC KVZR57';

describe('the name and transports of a key', () => {
  it.each([
    ['{"name":"Blue key","deviceName":"Other"}', UNKNOWN, 'Blue key'],
    ['{"deviceName":"Other"}', UNKNOWN, 'Other'],
    ['{"name":7,"deviceName":"Other"}', YUBIKEY, 'Other'],
    ['{"name":"\\u202e"}', UNKNOWN, 'Security key'],
    [null, YUBIKEY, 'YubiKey 5 Series with NFC KVZR57'],
    [null, UNKNOWN, 'Security key'],
  ])('names a key with keypair %p and model %j %s', (keypair, model, name) => {
    expect(deviceName(keypair, model, [])).toBe(name);
  });

  it('adds a number if the user already has a key of that name', () => {
    const existing = [{ deviceName: 'Security key' }, { deviceName: 'Security key (2)' }];
    expect(deviceName(null, UNKNOWN, existing)).toBe('Security key (3)');
  });

  it('keeps each known transport of a key once', () => {
    expect(knownTransports(['usb', 'nfc', 'usb', '<script>', 'internal'])).toBe('usb,nfc,internal');
    expect(knownTransports()).toBe('');
  });
});
