import './directories.suite.js';
import './directory-attacks.suite.js';
import './directory-suspension.suite.js';
import './discovery.suite.js';
import './docs.suite.js';
import './moving-users.suite.js';
import './users.suite.js';
