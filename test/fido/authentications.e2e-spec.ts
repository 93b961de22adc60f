import './authentication.suite.js';
import './begin-authentication.suite.js';
import './nameless.suite.js';
import './second-opinion.suite.js';
import './signals.suite.js';
import './unknown-users.suite.js';
import './user-verification.suite.js';
