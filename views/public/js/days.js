/** The days of a form are those of the reader's time zone; without this script they are days of UTC. */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const form = document.querySelector('form[data-days]');
const [from, to] = form.querySelectorAll('[type="date"]');

/** A local day in the format of a field of type `date`; the day of the month may be zero or less. */
function dayOf(year, month, day) {
  const date = new Date(year, month, day, 12);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

/** The first and the last day of each preset. */
const PRESETS = {
  today: (year, month, day) => [dayOf(year, month, day), dayOf(year, month, day)],
  yesterday: (year, month, day) => [dayOf(year, month, day - 1), dayOf(year, month, day - 1)],
  week: (year, month, day) => [dayOf(year, month, day - 6), dayOf(year, month, day)],
  month: (year, month) => [dayOf(year, month - 1, 1), dayOf(year, month, 0)],
};

form.addEventListener('formdata', ({ formData }) => {
  if ([from, to].some(({ value }) => value !== '')) formData.set('zone', timeZone);
  else formData.delete('zone');
});

for (const button of form.querySelectorAll('[data-preset]')) {
  button.addEventListener('click', () => {
    const now = new Date();
    const days = PRESETS[button.dataset.preset](now.getFullYear(), now.getMonth(), now.getDate());
    [from.value, to.value] = days;
    form.requestSubmit();
  });
}
form.querySelector('[data-presets]')?.removeAttribute('hidden');
