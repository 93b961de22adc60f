/**
 * Switches the buttons below a node off, so that nobody begins a step twice. That takes the focus from the pressed
 * one: the returned function switches them on again and gives it back, unless the step has moved it itself.
 */
export function buttonsOff(root) {
  const pressed = document.activeElement;
  const buttons = root.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  return () => {
    for (const button of buttons) button.disabled = false;
    const { activeElement, body } = document;
    if (activeElement === body || activeElement.closest('[hidden]')) pressed.focus();
  };
}
