/** Shows only the calls that contain every typed word. */
const form = document.querySelector('form.find');
const field = document.getElementById('find');
const entries = [...document.querySelectorAll('.reader li')].map((node) => ({
  node,
  text: `${node.textContent} ${node.querySelector('a').pathname}`.toLowerCase(),
}));

function narrow() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { node, text } of entries) node.hidden = !words.every((word) => text.includes(word));
  for (const section of document.querySelectorAll('.reader')) {
    section.hidden = !section.querySelector('li:not([hidden])');
  }
  const left = entries.filter(({ node }) => !node.hidden).length;
  form.querySelector('[role=status]').textContent =
    words.length === 0 ? '' : `${left} of ${entries.length} calls`;
}

form.hidden = false;
form.addEventListener('submit', (event) => event.preventDefault());
field.addEventListener('input', narrow);
narrow();
