import { badge, element, icon } from '../dom.js';
import { text } from '../texts.js';

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

  /** Puts a new key on top. */
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
  const signIns = text(key.signIns === 1 ? 'list.oneSignIn' : 'list.signIns', {
    count: key.signIns,
  });
  const badges = element(
    'div',
    { class: 'badges' },
    badge(
      ...(key.userVerified
        ? ['good', 'check', text('list.verified')]
        : ['', 'info', text('list.presence')]),
    ),
    badge('', 'info', key.backedUp ? text('list.synced') : text('list.bound')),
    badge(
      '',
      'info',
      key.attestation.format === 'none' ? text('list.unattested') : key.attestation.format,
    ),
  );
  const name = element(
    'p',
    {},
    element('strong', {}, key.name || key.authenticatorName || text('list.key')),
  );
  name.append(` · ${key.username} · ${signIns}`);
  const id = element('code', { title: text('list.id') }, key.credentialId);
  return element('li', {}, icon('key'), element('div', {}, name, badges, id));
}
