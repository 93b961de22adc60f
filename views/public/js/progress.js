const EVERY_MS = 1000;

/** Renews the figures of a job until it has ended. */
async function look() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    // The job has ended: the page has other parts then, and maybe another script.
    if (!page.querySelector('#list[data-busy]')) return location.reload();
    for (const selector of ['progress', '[role="status"]', '.figures']) {
      document
        .querySelector(`#list ${selector}`)
        .replaceWith(page.querySelector(`#list ${selector}`));
    }
  }
  setTimeout(look, EVERY_MS);
}

setTimeout(look, EVERY_MS);
