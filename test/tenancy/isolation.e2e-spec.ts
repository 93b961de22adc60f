import './application-keys.suite.js';
import './first-start.suite.js';
import './inventory.suite.js';
import './isolation.suite.js';
import './usernames.suite.js';
