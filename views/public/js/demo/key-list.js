import { badge, element, icon } from '../dom.js';

const STORE = 'servicefido-demo-keys';

/** The keys registered in this tab, kept until it closes. The server has the real list. */
export class KeyList {
  #list;
  #hint;
  #keys;

  constructor(list, hint) {
    this.#list = list;
    this.#hint = hint;
    this.#keys = JSON.parse(sessionStorage.getItem(STORE) ?? '[]');
    this.#show();
  }

  /** Puts a key that was just registered on top. */
  registered(answer, name) {
    this.#keys.unshift({ ...answer, name, signIns: 0 });
    this.#save();
  }

  /** Counts a sign-in of a key of this list. */
  signedIn({ credentialId }) {
    const key = this.#keys.find((candidate) => candidate.credentialId === credentialId);
    if (!key) return;
    key.signIns += 1;
    this.#save();
  }

  #save() {
    sessionStorage.setItem(STORE, JSON.stringify(this.#keys));
    this.#show();
  }

  #show() {
    this.#hint.hidden = this.#keys.length > 0;
    this.#list.replaceChildren(...this.#keys.map(item));
  }
}

function item(key) {
  const signIns = `${key.signIns} sign-in${key.signIns === 1 ? '' : 's'}`;
  const badges = element(
    'div',
    { class: 'badges' },
    badge(...(key.userVerified ? ['good', 'check', 'Verified'] : ['', 'info', 'Presence only'])),
    badge('', 'info', key.backedUp ? 'Synced' : 'Device-bound'),
    badge(
      '',
      'info',
      key.attestation.format === 'none' ? 'No attestation' : key.attestation.format,
    ),
  );
  const name = element(
    'p',
    {},
    element('strong', {}, key.name || key.authenticatorName || 'Security key'),
  );
  name.append(` · ${key.username} · ${signIns}`);
  const id = element('code', { title: 'Credential ID' }, key.credentialId);
  return element('li', {}, icon('key'), element('div', {}, name, badges, id));
}
