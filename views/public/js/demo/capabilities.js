import { capabilities, isSupported } from '/sdk/servicefido.js';
import { badge, element } from '../dom.js';
import { text } from '../texts.js';

/** Names of W3C WebAuthn L3 §5.8.7, and their meaning in words. */
const SHOWN = {
  userVerifyingPlatformAuthenticator: text('able.platform'),
  hybridTransport: text('able.phone'),
  conditionalGet: text('able.autofill'),
  conditionalCreate: text('able.upgrade'),
  relatedOrigins: text('able.related'),
};

/** Fills the row with the capabilities of this browser. */
export async function showCapabilities(list) {
  const able = await capabilities();
  const rows = [
    [isSecureContext, text('able.secure')],
    [isSupported(), 'WebAuthn'],
    ...Object.entries(SHOWN)
      .filter(([name]) => name in able)
      .map(([name, what]) => [able[name], what]),
  ];
  list.replaceChildren(
    ...rows.map(([yes, what]) =>
      element(
        'li',
        {},
        badge(yes ? 'good' : '', yes ? 'check' : 'cross', yes ? what : text('able.not', { what })),
      ),
    ),
  );
}
