import { badge, element, icon } from '../dom.js';

/** A `fetch` that passes each call through and shows its JSON in a list; `onCall` is told path and answer. */
export function loggingFetch(list, onCall) {
  return async (url, init) => {
    const started = performance.now();
    const response = await fetch(url, init);
    const received = await response.clone().text();
    const elapsed = Math.round(performance.now() - started);
    const path = new URL(url).pathname;
    const { method, body: sent } = init;
    list.append(entry({ method, path, sent, received, response, elapsed }));
    onCall({ path, answer: parsed(received) });
    return response;
  };
}

function entry({ method, path, sent, received, response, elapsed }) {
  const status = response.ok
    ? badge('good', 'check', String(response.status))
    : badge('bad', 'cross', String(response.status));
  const time = element('span', { class: 'time' }, `${elapsed} ms`);
  const summary = element('summary', {}, status, element('code', {}, `${method} ${path}`), time);
  const bodies = element(
    'div',
    { class: 'bodies' },
    ...(sent ? [body('up', 'Sent', sent)] : []),
    body('down', 'Received', received),
  );
  return element('li', {}, element('details', {}, summary, bodies));
}

function body(iconName, title, text) {
  const code = element('code', {}, pretty(text));
  return element(
    'div',
    {},
    element('h3', {}, icon(iconName), title),
    element('pre', { tabindex: '0' }, code),
  );
}

/** Nothing that can be read is the answer of something between the server and this page. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
