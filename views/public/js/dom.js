/**
 * Creates an element. Text is always set as text, so the browser never parses data from a server or an
 * authenticator as markup.
 */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

/** An icon of the sprite, hidden from screen readers: there is text beside it. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `/static/icons/sprite.svg#${name}`);
  svg.append(use);
  return svg;
}

/** A small label that shows its meaning by colour, icon and word. */
export function badge(kind, iconName, text) {
  return element('span', { class: `badge ${kind}` }, icon(iconName), text);
}

/** A message box; `kind` is `good`, `bad` or `warn`. */
export function notice(kind, iconName, title, ...rest) {
  const body = element('div', {}, element('strong', {}, title), ...rest);
  return element('div', { class: `notice ${kind}` }, icon(iconName), body);
}

/** A list of names and values. */
export function facts(entries) {
  const pairs = entries.flatMap(([name, value]) => [
    element('dt', {}, name),
    element('dd', {}, value),
  ]);
  return element('dl', { class: 'facts' }, ...pairs);
}

/**
 * Makes the content of a node like that of another one. What is alike stays, and with it the focus, a selection and the
 * position of a screen reader.
 */
export function renew(node, fresh) {
  const pairs = [...node.childNodes].map((child, n) => [child, fresh.childNodes[n]]);
  if (pairs.length !== fresh.childNodes.length) return node.replaceChildren(...fresh.childNodes);
  for (const [child, next] of pairs) {
    if (child.isEqualNode(next)) continue;
    if (child.nodeName !== next.nodeName || !child.hasChildNodes()) child.replaceWith(next);
    else {
      renewAttributes(child, next);
      renew(child, next);
    }
  }
}

/** Leaves alike attributes alone, too: without its `tabindex` an element loses the focus. */
function renewAttributes(node, fresh) {
  for (const { name } of [...node.attributes]) {
    if (!fresh.hasAttribute(name)) node.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
}
