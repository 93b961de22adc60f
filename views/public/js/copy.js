import { text } from '/static/js/texts.js';

/** Buttons with `data-copy="ID"` copy the field or the text with that id. They may be hidden at first. */
for (const button of document.querySelectorAll('[data-copy]')) {
  const label = button.querySelector('span');
  const word = label.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      label.textContent = text('copied');
    } catch {
      source.closest('details')?.setAttribute('open', '');
      // Without permission the text is selected, so that the user can copy it with the keyboard.
      if (source.select) source.select();
      else getSelection().selectAllChildren(source);
      label.textContent = text('selected');
    }
    setTimeout(() => (label.textContent = word), 2000);
  });
}
