import './cannot-sign-in.suite.js';
import './counted-search.suite.js';
import './events.suite.js';
import './help-desk.suite.js';
import './list-totals.suite.js';
import './names.suite.js';
import './one-search.suite.js';
import './whole-list.suite.js';
