import { deviceName, keptTransports } from './device-name.js';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const YUBIKEY = '9eb7eabc-9db5-49a1-b6c3-555a802093f4';

describe('device name', () => {
  it.each([
    ['{"name":"Blue key","deviceName":"Other"}', UNKNOWN, 'Blue key'],
    ['{"deviceName":"Other"}', UNKNOWN, 'Other'],
    ['{"name":7,"deviceName":"Other"}', YUBIKEY, 'Other'],
    ['{"name":"\\u202e"}', UNKNOWN, 'Security key'],
    [null, YUBIKEY, 'YubiKey 5 Series with NFC KVZR57'],
    [null, UNKNOWN, 'Security key'],
  ])('of keypair %p and AAGUID %s is %s', (keypair, aaguid, name) => {
    expect(deviceName(keypair, aaguid, [])).toBe(name);
  });

  it('gives a second one of the same name a number', () => {
    const existing = [{ deviceName: 'Security key' }, { deviceName: 'Security key (2)' }];
    expect(deviceName(null, UNKNOWN, existing)).toBe('Security key (3)');
  });

  it('J47: keeps each known transport once', () => {
    expect(keptTransports(['usb', 'nfc', 'usb', '<script>', 'internal'])).toBe('usb,nfc,internal');
    expect(keptTransports()).toBe('');
  });
});
