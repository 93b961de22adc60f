import { badge, element, icon } from '../dom.js';
import { text } from '../texts.js';

/** A `fetch` that passes each call through and shows its JSON in a list; `onCall` receives the path and the answer. */
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
    ...(sent ? [body('up', text('sent'), sent)] : []),
    body('down', text('received'), received),
  );
  return element('li', {}, element('details', {}, summary, bodies));
}

function body(iconName, title, json) {
  const code = element('code', {}, pretty(json));
  return element(
    'div',
    {},
    element('h3', {}, icon(iconName), title),
    element('pre', { tabindex: '0' }, code),
  );
}

/** An answer that is not JSON comes from a program between the server and this page. */
function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function pretty(json) {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
