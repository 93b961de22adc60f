import { text } from '/static/js/texts.js';

const field = document.getElementById('at');
const zone = document.getElementById('zone');

/** In the format of a field of type `datetime-local`. */
const minuteOf = (date) => date.toISOString().slice(0, 16);

// The answer shows local times, so the field does too; without this script both are UTC.
const asked = new Date(`${field.value}Z`);
field.value = minuteOf(new Date(asked.getTime() - asked.getTimezoneOffset() * 60_000));
zone.textContent = text('localTime');

field.form.addEventListener('formdata', ({ formData }) => {
  const local = new Date(field.value);
  if (!Number.isNaN(local.getTime())) formData.set('at', minuteOf(local));
});
