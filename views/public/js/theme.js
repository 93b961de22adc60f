// Runs before the page is painted, so it is not a module: a late theme would first show the wrong colours.
(() => {
  const KEY = 'servicefido-theme';
  const root = document.documentElement;

  function show(choice) {
    if (choice === 'system') root.removeAttribute('data-theme');
    else root.dataset.theme = choice;
  }

  function stored() {
    try {
      return localStorage.getItem(KEY) ?? 'system';
    } catch {
      return 'system'; // storage is blocked: the choice lasts for this page
    }
  }

  function store(choice) {
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // Storage is blocked: the choice lasts for this page.
    }
  }

  show(stored());

  document.addEventListener('DOMContentLoaded', () => {
    const group = document.getElementById('theme-switch');
    const buttons = [...group.querySelectorAll('[data-theme-choice]')];
    const press = (choice) =>
      buttons.forEach((button) =>
        button.setAttribute('aria-pressed', String(button.dataset.themeChoice === choice)),
      );
    for (const button of buttons) {
      button.addEventListener('click', () => {
        const choice = button.dataset.themeChoice;
        show(choice);
        store(choice);
        press(choice);
      });
    }
    press(stored());
    group.hidden = false;
  });
})();
