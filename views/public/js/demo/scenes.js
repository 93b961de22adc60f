/** Shows one scene at a time. The address names it, so that each has its own link. */
export class Scenes {
  #links;
  #onShow;

  /** @param onShow called with the scene's name */
  constructor(nav, onShow) {
    this.#links = [...nav.querySelectorAll('a')];
    this.#onShow = onShow;
    addEventListener('hashchange', () => this.#show());
    this.#show();
  }

  get current() {
    const asked = location.hash.slice(1);
    return this.#links.some(({ hash }) => hash === `#${asked}`) ? asked : 'basics';
  }

  #show() {
    const { current } = this;
    for (const link of this.#links) {
      const isCurrent = link.hash === `#${current}`;
      if (isCurrent) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
      document.querySelector(`.scene${link.hash}`).hidden = !isCurrent;
    }
    this.#onShow(current);
  }
}
