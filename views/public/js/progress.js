const EVERY_MS = 1000;

/** Takes the list's part of this page anew until the deletion has ended. */
async function look() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    // Nothing is said to be deleting any more: the page has other parts then, and maybe a script.
    if (!page.querySelector('form[action$="/stop"]')) return location.reload();
    for (const selector of ['progress', '[role="status"]', '.figures']) {
      document
        .querySelector(`#list ${selector}`)
        .replaceWith(page.querySelector(`#list ${selector}`));
    }
  }
  setTimeout(look, EVERY_MS);
}

setTimeout(look, EVERY_MS);
