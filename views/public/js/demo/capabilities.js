import { capabilities, isSupported } from '/sdk/servicefido.js';
import { badge, element } from '../dom.js';

/** Names of W3C WebAuthn L3 §5.8.7 and what they mean to a reader. */
const SHOWN = {
  userVerifyingPlatformAuthenticator: 'This device can hold a key',
  hybridTransport: 'Phone by QR code',
  conditionalGet: 'Autofill',
  conditionalCreate: 'Automatic upgrade',
  relatedOrigins: 'Related origins',
};

/** Fills the row that says what this browser can do. */
export async function showCapabilities(list) {
  const able = await capabilities();
  const rows = [
    [isSecureContext, 'Secure context'],
    [isSupported(), 'WebAuthn'],
    ...Object.entries(SHOWN)
      .filter(([name]) => name in able)
      .map(([name, text]) => [able[name], text]),
  ];
  list.replaceChildren(
    ...rows.map(([yes, text]) =>
      element(
        'li',
        {},
        badge(yes ? 'good' : '', yes ? 'check' : 'cross', yes ? text : `No: ${text}`),
      ),
    ),
  );
}
