const EVERY_MS = 3_000;
const PATIENCE_MS = 5_000;
const ID = 'first-sign-in';

/** Asks the server repeatedly until the first sign-in has happened, even if the server does not answer. */
async function look() {
  const section = document.getElementById(ID);
  if (section.querySelector('[data-received]')) return;
  if (!document.hidden) await refresh(section).catch(() => undefined);
  setTimeout(look, EVERY_MS);
}

async function refresh(section) {
  const response = await fetch(location.href, {
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const now = page.getElementById(ID);
  if (now.querySelector('[data-received]')) section.replaceChildren(...now.children);
}

setTimeout(look, EVERY_MS);
