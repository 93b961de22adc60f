import { wireCopyButtons } from '/static/js/copy.js';

wireCopyButtons();
