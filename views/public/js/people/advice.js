/** By what the SDK calls a failure: what happened and what to do, for somebody who only wants to sign in. */
export const ADVICE = {
  cancelled: [
    'Nothing was changed',
    'The prompt was closed, or this device cannot do what was asked: it needs a finger or face sensor, or a PIN. Try again, or take another device.',
  ],
  timeout: [
    'That took too long',
    'Nothing was changed. Try again, and answer when your device asks.',
  ],
  aborted: ['Cancelled', 'Nothing was changed.'],
  already_registered: [
    'This device holds a key of yours already',
    'Take another device for the next one: a security key, a tablet, another phone.',
  ],
  bad_domain: [
    'This page cannot make keys',
    'The address that you opened is not the right one. Ask whoever sent you here.',
  ],
  unsupported: [
    'This browser or device cannot do this',
    'Open the page in another browser, or on your phone.',
  ],
  busy: ['Another prompt is open', 'Answer or close it first.'],
  network: ['The service cannot be reached', 'Check your connection, then try again.'],
  expired: ['That took too long', 'Try again.'],
};
