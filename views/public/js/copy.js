import { text } from '/static/js/texts.js';

/** Buttons with `data-copy="ID"` copy the text of the element with that id; they may be hidden before. */
export function wireCopyButtons() {
  for (const button of document.querySelectorAll('[data-copy]')) {
    const label = button.querySelector('span');
    const word = label.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        label.textContent = text('copied');
      } catch {
        source.closest('details')?.setAttribute('open', '');
        getSelection().selectAllChildren(source); // no permission: leave it selected for the keyboard
        label.textContent = text('selected');
      }
      setTimeout(() => (label.textContent = word), 2000);
    });
  }
}
