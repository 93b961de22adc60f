import './counted-search.suite.js';
import './events.suite.js';
import './help-desk.suite.js';
import './names.suite.js';
import './whole-list.suite.js';
